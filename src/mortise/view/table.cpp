#include "mortise/view/table.h"

namespace mortise::view {

Table tabulate(const mechanism::Mechanism& m, const FrameSource& frames,
               const std::vector<analysis::Quantity>& quantities, const Window& window) {
  Table out;
  out.columns.resize(quantities.size());
  analysis::Frame frame;
  mechanism::Motions motions;
  for (std::uint64_t k = 0; k < frames.count; ++k) {
    frames.read(k, frame);
    if (!(frame.t >= window.from && frame.t <= window.to)) continue;
    m.motions(as_span(frame.q), as_span(frame.v), motions);
    out.time.push_back(frame.t);
    for (std::size_t i = 0; i < quantities.size(); ++i) out.columns[i].push_back(quantities[i].value(frame, motions));
  }
  return out;
}

}  // namespace mortise::view
