// Files and their includes. An included file lies in the folder of the model or below it: absolute paths, '..' and
// links that lead outside are refused, so that a model from elsewhere cannot make the program read what is not part of
// it.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <unordered_map>

#include "mortise/io/import/import.h"
#include "mortise/io/yaml.h"
#include "mortise/io/yaml_reader.h"
#include "mortise/model/report.h"

namespace mortise::io {

namespace {

namespace fs = std::filesystem;
using model::Entry;
using model::Node;

class Includer {
 public:
  explicit Includer(const fs::path& root) {
    std::error_code error;
    folder_ = fs::canonical(root, error).parent_path();
  }
  Node read(const fs::path& path, const Place& blame);

 private:
  void merge_file(Node& whole, Node file);
  void merge_section(Entry& mine, Entry& theirs);
  fs::path resolve(const Node& name, const fs::path& includer) const;
  [[noreturn]] static void clash(const std::string& key, const Place& first, const Place& second);

  fs::path folder_;             // of the model, without links
  std::vector<fs::path> open_;  // the chain of files being read, without links
  int files_ = 0;
};

fs::path Includer::resolve(const Node& name, const fs::path& includer) const {
  const auto refuse = [&](const std::string& why) {
    fail_model("M601", fmt::format("cannot include {}: {}", model::quote(name.text), why), name.place,
               "name a file in the model's folder");
  };
  const fs::path relative(name.text);
  if (name.text.empty()) refuse("the name is empty");
  if (relative.is_absolute()) refuse("the path is absolute");
  for (const fs::path& part : relative)
    if (part == "..") refuse("'..' leads out of the folder");
  const fs::path path = includer.parent_path() / relative;
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (!error) {
    const auto [end, unused] = std::mismatch(folder_.begin(), folder_.end(), real.begin(), real.end());
    if (end != folder_.end()) refuse("a link leads out of the model's folder");
  }
  return path;
}

void Includer::clash(const std::string& key, const Place& first, const Place& second) {
  fail_model("M604", fmt::format("{} is given here and at {}", model::quote(key), first.str()), second,
             "rename or remove one");
}

// Names of a section must be new; the file's own entries come after the included ones.
void Includer::merge_section(Entry& mine, Entry& theirs) {
  std::unordered_map<std::string, const Entry*> known;
  for (const Entry& e : mine.value.entries) known.emplace(e.key, &e);
  for (const Entry& e : theirs.value.entries)
    if (const auto it = known.find(e.key); it != known.end()) clash(e.key, it->second->place, e.place);
  std::move(theirs.value.entries.begin(), theirs.value.entries.end(), std::back_inserter(mine.value.entries));
}

void Includer::merge_file(Node& whole, Node file) {
  for (Entry& entry : file.entries) {
    const auto it =
        std::find_if(whole.entries.begin(), whole.entries.end(), [&](const Entry& e) { return e.key == entry.key; });
    if (it == whole.entries.end()) {
      whole.entries.push_back(std::move(entry));
    } else if (it->value.kind == Node::Kind::map && entry.value.kind == Node::Kind::map) {
      merge_section(*it, entry);
    } else if (it->value.kind == Node::Kind::null) {
      it->value = std::move(entry.value);
    } else if (entry.value.kind == Node::Kind::null) {
      continue;
    } else if ((entry.key == "mortise" || entry.key == "dimension") && it->value.text == entry.value.text) {
      it->value = std::move(entry.value);  // may be said by each file
    } else {
      clash(entry.key, it->place, entry.place);
    }
  }
}

Node Includer::read(const fs::path& path, const Place& blame) {
  if (std::ssize(open_) > deepest_include)
    fail_model("M603", fmt::format("includes are nested deeper than {} levels", deepest_include), blame);
  if (++files_ > most_includes + 1)
    fail_model("M603", fmt::format("the model includes more than {} files", most_includes), blame);
  std::string bytes = read_bytes(path.string(), blame);
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (std::find(open_.begin(), open_.end(), real) != open_.end())
    fail_model("M602", fmt::format("'{}' includes itself, directly or through others", path.filename().string()),
               blame);
  open_.push_back(real);
  Node file = read_yaml_text(std::move(bytes), path.string());
  Node whole = file;
  const Node* include = file.kind == Node::Kind::map ? file.find("include") : nullptr;
  if (include) {
    if (include->kind != Node::Kind::list && include->kind != Node::Kind::scalar)
      fail_model("M104", "expected a list of files [parts.yaml, …] for 'include'", include->place);
    const std::vector<Node> names = include->kind == Node::Kind::list ? include->items : std::vector<Node>{*include};
    whole.entries.clear();
    for (const Node& name : names) {
      if (name.kind != Node::Kind::scalar) fail_model("M104", "expected the name of a file", name.place);
      Node part = read(resolve(name, path), name.place);
      if (part.kind != Node::Kind::map)
        fail_model("M104", "expected sections such as bodies: in an included file", part.place);
      merge_file(whole, std::move(part));
    }
    std::erase_if(file.entries, [](const Entry& e) { return e.key == "include"; });
    merge_file(whole, std::move(file));
  }
  open_.pop_back();
  return whole;
}

}  // namespace

std::string read_bytes(const std::string& path, const Place& blame) {
  const auto refuse = [&](const char* code, const std::string& message, const std::string& hint) {
    Place place = blame;
    if (place.line == 0) place.source = std::make_shared<Source>(Source{path, ""});
    fail_model(code, place.line == 0 ? message : fmt::format("'{}': {}", path, message), place, hint);
  };
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    // The nearest file name in the folder, if the folder can be read.
    std::vector<std::string> names;
    std::error_code unreadable;
    const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
    for (fs::directory_iterator it(folder, unreadable), end; !unreadable && it != end && names.size() < 1000;
         it.increment(unreadable))
      names.push_back(it->path().filename().string());
    refuse("M501", "there is no such file", model::did_you_mean(fs::path(path).filename().string(), names));
  }
  if (status.type() == fs::file_type::directory) refuse("M502", "this is a folder, not a model file", "");
  if (status.type() != fs::file_type::regular) refuse("M502", "this is not a regular file", "");
  const auto size = fs::file_size(path, error);
  if (!error && size > largest_file)
    refuse("M505", fmt::format("the file has {} MiB; the limit is 64 MiB", size >> 20), "use repeat");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse("M501", fmt::format("cannot open the file: {}", std::strerror(errno)), "");
  std::string bytes(static_cast<std::size_t>(size), '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  if (file.bad()) refuse("M501", "cannot read the file", "");
  return bytes;
}

Node read_yaml(const fs::path& path) { return read_yaml_text(read_bytes(path.string(), {}), path.string()); }

Node read_with_includes(const fs::path& path) { return Includer(path).read(path, {}); }

model::Model load_model(const fs::path& path, const model::Catalogue& catalogue,
                        const std::vector<std::string>& settings, const fs::path& sidecar) {
  Imported read;
  if (is_foreign(path))
    read = import_file(path, sidecar);
  else if (!sidecar.empty())
    fail_model("M709", "a sidecar goes with URDF and MJCF only",
               {std::make_shared<Source>(Source{sidecar.string(), ""}), 0, 0, 1},
               "include: [file.yaml] in a model of our own");
  else
    read.root = read_with_includes(path);
  for (const std::string& setting : settings) apply_setting(read.root, setting);
  model::Model model = model::build(read.root, catalogue);
  model.notes.insert(model.notes.begin(), read.notes.begin(), read.notes.end());
  return model;
}

model::Model load_model_text(std::string text, std::string name, const model::Catalogue& catalogue,
                             const std::vector<std::string>& settings) {
  Node root = read_yaml_text(std::move(text), std::move(name));
  for (const std::string& setting : settings) apply_setting(root, setting);
  return model::build(root, catalogue);
}

void save_model(const model::Model& model, const fs::path& path) {
  const fs::path temporary = path.string() + ".tmp";
  errno = 0;
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file << model.text;
  file.close();
  if (!file) {
    const std::string why = std::strerror(errno ? errno : EIO);
    std::error_code unused;
    fs::remove(temporary, unused);
    throw OutputError(path.string(), "cannot write the model: " + why);
  }
  std::error_code error;
  fs::rename(temporary, path, error);
  if (error) {
    std::error_code unused;
    fs::remove(temporary, unused);
    throw OutputError(path.string(), "cannot write the model: " + error.message());
  }
}

}  // namespace mortise::io
