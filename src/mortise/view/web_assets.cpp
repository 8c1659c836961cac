#include "mortise/view/web_assets.h"

#include <stdexcept>

#include "mortise/view/base64.h"

namespace mortise::view {

const WebAsset& web_asset(std::string_view name) {
  for (const WebAsset& asset : web_assets())
    if (asset.name == name) return asset;
  throw std::out_of_range("no file of the viewer is called " + std::string(name));
}

std::string policy_hash(const WebAsset& asset) {
  std::string bytes;
  for (std::size_t k = 0; k < asset.sha256.size(); k += 2)
    bytes += static_cast<char>(std::stoi(std::string(asset.sha256.substr(k, 2)), nullptr, 16));
  return "sha256-" + base64(bytes);
}

}  // namespace mortise::view
