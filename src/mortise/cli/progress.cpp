#include "mortise/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace mortise::cli {

namespace {

std::string clock_text(double seconds) {
  const auto s = static_cast<long>(seconds + 0.5);
  if (s >= 3600) return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

}  // namespace

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) != 0) {
  begin_ = last_ = std::chrono::steady_clock::now();
}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::clear() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
  drawn_ = false;
}

void ProgressLine::update(const analysis::Progress& p) {
  if (!terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (first_t_ < 0) first_t_ = p.t;
  if (now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  drawn_ = true;
  const double elapsed = std::chrono::duration<double>(now - begin_).count();
  const double share = p.until > 0 ? std::clamp(p.t / p.until, 0.0, 1.0) : 0;
  const double rate = (p.t - first_t_) / std::max(elapsed, 1e-3);
  std::string bar;
  const int eighths = static_cast<int>(share * 24 * 8);
  for (int k = 0; k < 24; ++k) {
    static constexpr const char* parts[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
    bar += parts[std::clamp(eighths - 8 * k, 0, 8)];
  }
  fmt::print(stderr, "\r\x1b[K{}  {:.4g} / {:.4g} s   {} steps   h {:.2g} s   |φ| {:.0e}   {} to go", bar, p.t, p.until,
             p.steps, p.h, p.violation, rate > 0 ? clock_text((p.until - p.t) / rate) : "?");
  std::fflush(stderr);
}

}  // namespace mortise::cli
