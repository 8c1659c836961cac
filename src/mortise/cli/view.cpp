// mortise view out.h5 [other.h5]: the motion in a browser, served on this machine or, with --html, as one file.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "mortise/cli/commands.h"
#include "mortise/cli/view_input.h"
#include "mortise/cli/view_serve.h"
#include "mortise/io/results_files.h"
#include "mortise/view/html_page.h"

namespace mortise::cli {

namespace {

struct ViewOptions {
  std::vector<std::string> inputs;
  std::string html;
  double megabytes = static_cast<double>(view::html_limit) / 1e6;
  ServeOptions serve;
};

// Under a temporary name first: a page is whole or not there.
int write_page(const ViewOptions& o) {
  for (const std::string& input : o.inputs) {
    std::error_code ignored;
    if (std::filesystem::equivalent(o.html, input, ignored))
      throw OutputError(o.html, "is the input itself; give the page another name");
  }
  std::vector<ViewInput> opened;
  for (const std::string& input : o.inputs) opened.push_back(open_view(input));
  std::vector<view::HtmlInput> inputs;
  for (const ViewInput& in : opened) inputs.push_back({in.mechanism.get(), &in.run, in.scene, in.label});

  const std::string target = io::output_target(o.html);
  const std::string part = io::part_name(target);
  std::ofstream file(part, std::ios::binary);
  if (!file) throw OutputError(o.html, "cannot be created");
  const view::HtmlReport report =
      view::write_html(file, std::move(inputs), static_cast<std::uint64_t>(o.megabytes * 1e6));
  file.close();
  if (!file) {
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    throw OutputError(o.html, "cannot be written (disk full?)");
  }
  io::publish(part, target, io::folder_of(target));
  fmt::print("{}  {:.1f} MB", o.html, static_cast<double>(report.bytes) / 1e6);
  for (std::size_t k = 0; k < report.kept.size(); ++k)
    fmt::print(" · {}: {}", opened[k].label,
               report.kept[k] == report.total[k]
                   ? fmt::format("all {}", counted(static_cast<long>(report.total[k]), "frame"))
                   : fmt::format("{} of {} frames kept ({:.3g} %), so that the file stays below {:g} MB",
                                 report.kept[k], report.total[k],
                                 100 * static_cast<double>(report.kept[k]) / static_cast<double>(report.total[k]),
                                 o.megabytes));
  fmt::print("\n");
  return 0;
}

}  // namespace

void add_view(CLI::App& app, Outcome& outcome) {
  auto o = std::make_shared<ViewOptions>();
  CLI::App* command = app.add_subcommand("view", "show a run, or a model, moving in a browser");
  command->add_option("inputs", o->inputs, "a result file (two: side by side), or a model file: its pose and diagnosis")
      ->required()
      ->expected(1, 2);
  CLI::Option* html =
      command->add_option("--html", o->html, "write one page that opens from disk and needs nothing else");
  command->add_option("--limit", o->megabytes, "size of the page in MB; beyond it frames are left out (default: 200)")
      ->check(CLI::Range(2.0, 2000.0))
      ->needs(html);
  command->add_option("--port", o->serve.port, "serve on this port instead of any that is free")
      ->check(CLI::Range(1, 65535))
      ->excludes(html);
  command->add_flag("!--no-browser", o->serve.browser, "print the address only")->excludes(html);
  command->add_option("--beside", o->serve.beside, "process of the run that writes the file")->group("");  // run --live
  command->callback(
      [o, &outcome] { outcome.code = o->html.empty() ? serve_view(o->inputs, o->serve) : write_page(*o); });
}

}  // namespace mortise::cli
