// Bytes as text (RFC 4648), for what is put into one page: frames, meshes and the hashes of its scripts.
#pragma once

#include <string>
#include <string_view>

namespace mortise::view {

std::string base64(std::string_view bytes);

}  // namespace mortise::view
