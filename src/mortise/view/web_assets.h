// The files of the viewer's page, put into the library when it is built (cmake/EmbedWeb.cmake): index.html, style.css,
// app.js (the modules of web/ in one script), three.min.js and icon.svg. The page names them relative to itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mortise::view {

struct WebAsset {
  std::string_view name, type, content;
  std::string_view sha256;  // of the content, hexadecimal
};

const std::vector<WebAsset>& web_assets();
const WebAsset& web_asset(std::string_view name);  // throws std::out_of_range for one that is not there

// "sha256-…" as content policies write it.
std::string policy_hash(const WebAsset& asset);

}  // namespace mortise::view
