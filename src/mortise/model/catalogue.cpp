#include "mortise/model/catalogue.h"

#include <algorithm>

namespace mortise::model {

const PartInfo* Catalogue::find(Section section, std::string_view type_or_alias) const {
  for (const PartInfo& part : parts_)
    if (part.section == section && part.type == type_or_alias) return &part;
  for (const PartInfo& part : parts_)
    if (part.section == section &&
        std::find(part.aliases.begin(), part.aliases.end(), type_or_alias) != part.aliases.end())
      return &part;
  return nullptr;
}

std::vector<std::string> Catalogue::types(Section section) const {
  std::vector<std::string> names;
  for (const PartInfo& part : parts_)
    if (part.section == section) names.push_back(part.type);
  return names;
}

std::string_view section_name(Section section) {
  switch (section) {
    case Section::body:
      return "bodies";
    case Section::joint:
      return "joints";
    case Section::driver:
      return "drivers";
    case Section::force:
      return "forces";
    case Section::event:
      return "events";
  }
  return "";
}

std::string_view item_name(Section section) {
  switch (section) {
    case Section::body:
      return "body";
    case Section::joint:
      return "joint";
    case Section::driver:
      return "driver";
    case Section::force:
      return "force";
    case Section::event:
      return "event";
  }
  return "";
}

}  // namespace mortise::model
