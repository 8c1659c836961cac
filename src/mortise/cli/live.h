// mortise run --live: the viewer beside a run that goes on.
//
// The viewer is a process of its own (`mortise view`), which reads the result file as it grows: the run does exactly
// what it would do alone. It starts when the file has its name, so a former result of that name is never shown.
#pragma once

#include <string>

#include "mortise/analysis/sink.h"
#include "mortise/cli/child_process.h"

namespace mortise::cli {

struct LiveOptions {
  bool on = false;
  bool browser = true;
  int port = 0;
};

class LiveSink final : public analysis::Sink {
 public:
  // Hands all on to `file`, which writes `path`.
  LiveSink(analysis::Sink& file, std::string path, LiveOptions options);

  void begin(const analysis::RunHeader& header) override;
  void frame(const analysis::Frame& frame) override { file_.frame(frame); }
  void event(const analysis::EventEntry& entry) override { file_.event(entry); }
  void flush() override { file_.flush(); }
  void end(const analysis::RunSummary& summary) override { file_.end(summary); }

  // After the run: until the user ends the viewer.
  void stay();

 private:
  analysis::Sink& file_;
  std::string path_;
  LiveOptions options_;
  ChildProcess viewer_;
};

}  // namespace mortise::cli
