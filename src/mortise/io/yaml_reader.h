// The strict reader's inside, shared with `--set`: parses `text` but takes places from `source`, whose text may have
// other characters where `text` has spaces.
#pragma once

#include <memory>
#include <string>

#include "mortise/model/node.h"

namespace mortise::io {

model::Node parse_yaml(const std::string& text, std::shared_ptr<const Source> source);

// The bytes of a regular file of bearable size; `blame` is the place that names it (an include), if any.
std::string read_bytes(const std::string& path, const Place& blame);

// Invalid UTF-8 (overlong forms and surrogates included) or a control character: its offset, or npos.
std::size_t first_bad_byte(const std::string& text);

}  // namespace mortise::io
