// mortise view without --html: serves the page on this machine until Ctrl-C. `mortise run --live` starts it beside a
// run.
#pragma once

#include <string>
#include <vector>

namespace mortise::cli {

struct ServeOptions {
  int port = 0;         // 0: any that is free
  bool browser = true;  // open one, where there is a display
  int beside = 0;       // process of the run that this viewer shows: waits for its first frame, ends with it
};

int serve_view(const std::vector<std::string>& inputs, const ServeOptions& options);

}  // namespace mortise::cli
