// One page with everything in it: it opens from disk, asks for nothing, and its content policy allows nothing but the
// scripts and styles that are in it, by their hashes. Data stands in blocks that are never run: scene.json with every
// `<` escaped, times and frames as base64, the frames in blocks of about 3 MB that the page decodes when it needs them.
//
// Frames are float32; where they would exceed the limit, every k-th frame is kept (the first and the last among them),
// and page and caller are told. Cost: one pass over the frames that are kept, memory for one block.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "mortise/view/scene.h"

namespace mortise::view {

struct HtmlInput {
  const mechanism::Mechanism* mechanism = nullptr;
  const Run* run = nullptr;
  Scene scene;
  std::string label;  // "out.h5"
};

struct HtmlReport {
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> kept, total;  // frames of each result
};

inline constexpr std::uint64_t html_limit = 200'000'000;

// One result, or two side by side.
HtmlReport write_html(std::ostream& out, std::vector<HtmlInput> inputs, std::uint64_t limit = html_limit);
std::string html_page(std::vector<HtmlInput> inputs, std::uint64_t limit = html_limit);

}  // namespace mortise::view
