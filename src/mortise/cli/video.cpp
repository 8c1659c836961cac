// mortise video out.h5 -o out.mp4: the viewer's page, picture by picture, as a film. Chromium draws, ffmpeg encodes.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <thread>

#include "mortise/cli/browser.h"
#include "mortise/cli/child_process.h"
#include "mortise/cli/commands.h"
#include "mortise/cli/view_input.h"
#include "mortise/io/results_files.h"
#include "mortise/view/server.h"
#include "mortise/view/site.h"

namespace mortise::cli {

namespace {

constexpr double longest_by_itself = 20, shortest_by_itself = 2;  // seconds of film where none are asked for

struct VideoOptions {
  std::vector<std::string> inputs;
  std::string output, size = "1280x720", show;
  double fps = 30, seconds = 0;
  bool dark = false;
  int width = 0, height = 0;
};

// "1280x720": even numbers, as mp4 wants them.
std::string read_size(const std::string& text, int& width, int& height) {
  char rest = 0;
  const bool read = std::sscanf(text.c_str(), "%5dx%5d%c", &width, &height, &rest) == 2;
  const auto fine = [](int n) { return n >= 64 && n <= 4096 && n % 2 == 0; };
  return read && fine(width) && fine(height) ? "" : "two even numbers from 64 to 4096, as in 1280x720";
}

// The server on a thread of its own; the reader belongs to that thread from here on.
class ServingThread {
 public:
  explicit ServingThread(std::vector<view::SiteResult> results)
      : site_(std::move(results)),
        server_([this](const std::string& name) { return site_.find(name); }),
        thread_([this] { server_.run(stop_); }) {}
  ~ServingThread() {
    stop_ = 1;
    thread_.join();
  }
  ServingThread(const ServingThread&) = delete;
  ServingThread& operator=(const ServingThread&) = delete;
  std::string url() const { return server_.url(); }

 private:
  view::Site site_;
  view::Server server_;
  std::atomic<int> stop_{0};
  std::thread thread_;
};

// ffmpeg, fed with pictures.
class Encoder {
 public:
  Encoder(const std::string& output, const std::string& part, bool gif, double fps) : output_(output) {
    std::vector<std::string> words{"-hide_banner", "-loglevel",  "error",      "-y",
                                   "-f",           "image2pipe", "-framerate", fmt::format("{:g}", fps),
                                   "-c:v",         "png",        "-i",         "pipe:0"};
    // One palette for the whole film; mp4 in the form that every player reads, and may start before it is loaded.
    const std::vector<std::string> how =
        gif ? std::vector<std::string>{"-filter_complex",
                                       "[0:v]split[a][b];[a]palettegen=stats_mode=diff[p];"
                                       "[b][p]paletteuse=dither=none",
                                       "-f", "gif"}
            : std::vector<std::string>{"-c:v",    "libx264",   "-crf",       "18", "-pix_fmt",
                                       "yuv420p", "-movflags", "+faststart", "-f", "mp4"};
    words.insert(words.end(), how.begin(), how.end());
    words.push_back(part);
    process_ = ChildProcess("ffmpeg", words, {{0, pictures_.out.get()}});
    pictures_.out = view::Socket();
  }
  void add(const std::string& picture) {
    for (std::size_t done = 0; done < picture.size();) {
      const ssize_t n = ::write(pictures_.in.get(), picture.data() + done, picture.size() - done);
      if (n < 0 && errno != EINTR)
        throw OutputError(output_, "ffmpeg has ended unexpectedly (its message stands above)");
      if (n > 0) done += static_cast<std::size_t>(n);
    }
  }
  void finish() {
    pictures_.in = view::Socket();
    if (process_.wait() != 0) throw OutputError(output_, "ffmpeg cannot encode it (its message stands above)");
  }

 private:
  std::string output_;
  Pipe pictures_;
  ChildProcess process_;
};

std::string fragment(const VideoOptions& o) {
  std::string text = fmt::format("#ui=off&theme={}", o.dark ? "dark" : "light");
  std::string word;
  for (const char c : o.show + ",") {
    if (c != ',') {
      word += c;
    } else if (!word.empty()) {
      text += "&" + word + "=on";
      word.clear();
    }
  }
  return text;
}

// Waits until the page has read its data, drawn, and moved to a time: two turns of its own loop after the last request.
constexpr const char* open_script =
    "new Promise((done, fail) => { const look = () => { const trouble = document.getElementById('trouble');"
    " if (trouble && !trouble.hidden) fail(new Error(trouble.textContent));"
    " else if (window.mortise && window.mortise.settled()) done(window.mortise.span); else setTimeout(look, 20); };"
    " look(); })";

std::string seek_script(double t) {
  return fmt::format(
      "new Promise((done) => {{ mortise.seek({:.17g}); const look = () => mortise.settled() ? done(mortise.time)"
      " : requestAnimationFrame(look); requestAnimationFrame(look); }})",
      t);
}

int video(VideoOptions o) {
  catch_signals();
  std::signal(SIGPIPE, SIG_IGN);  // a program that ends early is then a failed write
  if (o.output.empty()) o.output = std::filesystem::path(o.inputs.front()).stem().string() + ".mp4";
  const std::string ending = std::filesystem::path(o.output).extension().string();
  if (ending != ".mp4" && ending != ".gif")
    throw OutputError(o.output, "is to be a film: end its name with .mp4 or .gif");
  if (find_program({"ffmpeg"}).empty())
    throw OutputError(o.output, "needs ffmpeg to be encoded, which is not installed (Debian: apt install ffmpeg)");
  const std::string target = io::output_target(o.output);
  const std::string part = io::part_name(target);

  std::vector<ViewInput> opened;
  for (const std::string& input : o.inputs) opened.push_back(open_view(input));
  std::vector<view::SiteResult> results;
  for (ViewInput& in : opened)
    results.push_back({in.mechanism.get(), &in.run, in.reader.get(), in.label, view::to_json(in.scene)});
  Browser browser(o.output, o.width, o.height);
  const ServingThread serving(std::move(results));
  browser.open(serving.url() + fragment(o));
  double begin = 0, end = 0;
  if (std::sscanf(browser.evaluate(open_script).c_str(), "[%lf,%lf]", &begin, &end) != 2)
    throw OutputError(o.output, "the page does not tell the span of its time");

  const double seconds = o.seconds > 0 ? o.seconds : std::clamp(end - begin, shortest_by_itself, longest_by_itself);
  const int pictures = std::max(2, static_cast<int>(std::lround(seconds * o.fps)));
  const bool terminal = ::isatty(STDERR_FILENO) != 0;
  try {
    Encoder encoder(o.output, part, ending == ".gif", o.fps);
    for (int k = 0; k < pictures; ++k) {
      browser.evaluate(seek_script(begin + (end - begin) * k / (pictures - 1)));
      encoder.add(browser.picture());
      if (terminal) fmt::print(stderr, "\r{} of {} pictures", k + 1, pictures);
    }
    if (terminal) fmt::print(stderr, "\r\x1b[K");
    encoder.finish();
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    throw;
  }
  io::publish(part, target, io::folder_of(target));
  fmt::print("{}  {:.1f} MB, {} pictures, {:g} s", o.output,
             static_cast<double>(std::filesystem::file_size(target)) / 1e6, pictures, seconds);
  if (end > begin) fmt::print(" for {:g} s of motion", end - begin);
  fmt::print("\n");
  return 0;
}

}  // namespace

void add_video(CLI::App& app, Outcome& outcome) {
  auto o = std::make_shared<VideoOptions>();
  CLI::App* command =
      app.add_subcommand("video", "a film of a run, as the viewer shows it (needs Chromium and ffmpeg)");
  command->add_option("results", o->inputs, "a result file (two: side by side)")->required()->expected(1, 2);
  command->add_option("-o,--output", o->output, "film: NAME.mp4 or NAME.gif (default: the result's name with .mp4)");
  command->add_option("--fps", o->fps, "pictures a second (default: 30)")->check(CLI::Range(1.0, 120.0));
  command->add_option("--seconds", o->seconds, "length of the film (default: that of the motion, from 2 to 20)")
      ->check(CLI::Range(0.1, 3600.0));
  command->add_option("--size", o->size, "in pixels (default: 1280x720)")->check([o](const std::string& text) {
    return read_size(text, o->width, o->height);
  });
  command->add_option("--show", o->show, "what the viewer can show, with commas: labels,reactions,traces");
  command->add_flag("--dark", o->dark, "dark background");
  command->callback([o, &outcome] {
    read_size(o->size, o->width, o->height);
    outcome.code = video(*o);
  });
}

}  // namespace mortise::cli
