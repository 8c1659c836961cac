#include "mortise/view/html_page.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "mortise/view/base64.h"
#include "mortise/view/frame_packer.h"
#include "mortise/view/web_assets.h"

namespace mortise::view {

namespace {

constexpr std::uint64_t block_bytes = 3'000'000;

// JSON inside a <script> element: no `<` is left that could end it or begin a comment.
std::string harmless(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) c == '<' ? out += "\\u003c" : out += c;
  return out;
}

void replace(std::string& text, std::string_view what, std::string_view by) {
  const std::size_t at = text.find(what);
  if (at == std::string::npos) throw std::logic_error(fmt::format("the page has no place for {}", what));
  text.replace(at, what.size(), by);
}

std::string policy() {
  return fmt::format(
      "default-src 'none'; script-src '{}' '{}'; style-src '{}'; img-src data:; base-uri 'none'; form-action 'none'",
      policy_hash(web_asset("three.min.js")), policy_hash(web_asset("app.js")), policy_hash(web_asset("style.css")));
}

// The page with its scripts and styles inside, cut where the data goes.
std::pair<std::string, std::string> shell() {
  std::string page(web_asset("index.html").content);
  replace(page, "<!-- policy -->",
          fmt::format("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">", policy()));
  replace(page, "href=\"icon.svg\"",
          fmt::format("href=\"data:image/svg+xml;base64,{}\"", base64(web_asset("icon.svg").content)));
  replace(page, "<link rel=\"stylesheet\" href=\"style.css\">",
          fmt::format("<style>{}</style>", web_asset("style.css").content));
  const auto script = [](std::string_view name) { return fmt::format("<script>{}</script>", web_asset(name).content); };
  replace(page, "<script src=\"three.min.js\"></script>", script("three.min.js"));
  replace(page, "<script src=\"app.js\"></script>", script("app.js"));
  static constexpr std::string_view cut = "<!-- data -->";
  const std::size_t at = page.find(cut);
  if (at == std::string::npos) throw std::logic_error("the page has no place for data");
  return {page.substr(0, at), page.substr(at + cut.size())};
}

class CountingWriter {
 public:
  explicit CountingWriter(std::ostream& out) : out_(out) {}
  void text(std::string_view text) {
    out_ << text;
    bytes_ += text.size();
  }
  void block(const std::string& id, const char* type, std::string_view content) {
    text(fmt::format("<script id=\"{}\" type=\"{}\">", id, type));
    text(content);
    text("</script>\n");
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::ostream& out_;
  std::uint64_t bytes_ = 0;
};

// Every `stride`-th frame and the last.
std::vector<std::uint64_t> chosen_frames(std::uint64_t count, std::uint64_t stride) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t k = 0; k < count; k += stride) out.push_back(k);
  if (count > 0 && out.back() != count - 1) out.push_back(count - 1);
  return out;
}

void write_data(CountingWriter& out, HtmlInput& input, std::size_t number, std::uint64_t stride) {
  const FramePacker packer(*input.mechanism, *input.run);
  const std::vector<std::uint64_t> frames = chosen_frames(input.run->frames.count, stride);
  input.scene.frames = frames.size();
  input.scene.total = input.run->frames.count;
  const std::string path = fmt::format("data/{}/", number);
  out.block(path + "scene.json", "application/json", harmless(to_json(input.scene)));

  const std::uint64_t per_block = std::max<std::uint64_t>(1, block_bytes / packer.bytes());
  std::vector<double> times;
  analysis::Frame frame;
  std::string bytes;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    input.run->frames.read(frames[k], frame);
    times.push_back(frame.t);
    packer.pack(frame, bytes);
    if ((k + 1) % per_block != 0 && k + 1 != frames.size()) continue;
    out.block(fmt::format("{}frames/{}", path, k / per_block), "application/octet-stream", base64(bytes));
    bytes.clear();
  }
  out.block(path + "times.bin", "application/octet-stream", base64(pack_times(times)));
}

}  // namespace

HtmlReport write_html(std::ostream& stream, std::vector<HtmlInput> inputs, std::uint64_t limit) {
  CountingWriter out(stream);
  const auto [head, tail] = shell();
  out.text(head);
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  std::uint64_t fixed = head.size() + tail.size(), frames = 0;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const Scene& scene = inputs[k].scene;
    const std::uint64_t per_block = std::max<std::uint64_t>(1, block_bytes / scene.frame_bytes);
    results.push_back({{"path", fmt::format("data/{}/", k)}, {"label", inputs[k].label}, {"block", per_block}});
    fixed += harmless(to_json(scene)).size();
    frames += inputs[k].run->frames.count * (scene.frame_bytes + sizeof(double));
  }
  const nlohmann::ordered_json index{{"results", results}, {"live", false}};
  out.block("results.json", "application/json",
            harmless(index.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)));
  // Base64 takes 4/3; what stands between the blocks is less than a hundredth.
  const double wanted = 1.01 * 4.0 / 3.0 * static_cast<double>(frames);
  const double room = std::max(1.0, static_cast<double>(limit) - static_cast<double>(fixed) - 10'000);
  const auto stride = static_cast<std::uint64_t>(std::max(1.0, std::ceil(wanted / room)));
  HtmlReport report;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    write_data(out, inputs[k], k, stride);
    report.kept.push_back(inputs[k].scene.frames);
    report.total.push_back(inputs[k].scene.total);
  }
  out.text(tail);
  report.bytes = out.bytes();
  return report;
}

std::string html_page(std::vector<HtmlInput> inputs, std::uint64_t limit) {
  std::ostringstream out;
  write_html(out, std::move(inputs), limit);
  return std::move(out).str();
}

}  // namespace mortise::view
