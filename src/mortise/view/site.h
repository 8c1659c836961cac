// What `mortise view` serves, by name: the files of the page and the data of one or two results (scene.h has the list).
//
// Frames are packed when they are asked for, so a range of frames costs the reading of these frames and no more. A run
// that still goes on is followed: asking for status.json looks at the file again, and sizes grow with it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mortise/io/results_reader.h"
#include "mortise/view/page.h"
#include "mortise/view/server.h"

namespace mortise::view {

// All of it must live as long as the site.
struct SiteResult {
  const mechanism::Mechanism* mechanism = nullptr;
  Run* run = nullptr;                  // its frames come from the reader; their number is kept up to date
  io::ResultReader* reader = nullptr;  // none: a model that stands still
  std::string label, scene;            // scene: the text of scene.json
};

// Not for two threads at a time; the server asks from one.
class Site {
 public:
  explicit Site(std::vector<SiteResult> results);
  ~Site();
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  std::shared_ptr<Resource> find(const std::string& name);  // a Lookup

 private:
  struct Result;
  std::vector<std::shared_ptr<Result>> results_;
  std::string index_;
};

}  // namespace mortise::view
