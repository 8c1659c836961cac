// Model files: a strict reader of YAML, includes, `--set`, and the way from a path to a checked model.
//
// Strict means: what YAML allows but nobody expects in a model is an error with its place. Keys are unique; anchors,
// aliases, merge keys, tags, several documents and .nan / .inf are refused. Files end at 64 MiB, nesting at 64 levels,
// trees at 2 million values, so that no file, however made, costs more than seconds or memory.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "mortise/model/model.h"

namespace mortise::io {

inline constexpr std::size_t largest_file = 64u << 20;  // bytes
inline constexpr int deepest_nesting = 64;
inline constexpr int most_values = 2'000'000;
inline constexpr int deepest_include = 16;
inline constexpr int most_includes = 256;

// Each throws ModelError with the place of the mistake.
model::Node read_yaml(const std::filesystem::path& path);
model::Node read_yaml_text(std::string text, std::string name);

// A file and all it includes as one tree; included sections stand before the file's own.
model::Node read_with_includes(const std::filesystem::path& path);

// `NAME=VALUE` sets a parameter (or a top-level key), `a.b.c=VALUE` anything else; list items by number: `at.0=1`.
void apply_setting(model::Node& root, std::string_view setting);

// Read, include, set, build. The model refers to the catalogue. URDF and MJCF are imported (import/import.h), with the
// joints of a sidecar file where one is named.
model::Model load_model(const std::filesystem::path& path, const model::Catalogue& catalogue,
                        const std::vector<std::string>& settings = {}, const std::filesystem::path& sidecar = {});
// The same for a text without includes, as results store it.
model::Model load_model_text(std::string text, std::string name, const model::Catalogue& catalogue,
                             const std::vector<std::string>& settings = {});

// Writes the model's text, from which the same model is read back: includes, settings and formulas as they stand.
// Writes to a new file first and renames it: an old one is whole until then. Throws OutputError.
void save_model(const model::Model& model, const std::filesystem::path& path);

}  // namespace mortise::io
