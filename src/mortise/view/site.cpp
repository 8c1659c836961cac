#include "mortise/view/site.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "mortise/analysis/quantity.h"
#include "mortise/error.h"
#include "mortise/view/frame_packer.h"
#include "mortise/view/web_assets.h"

namespace mortise::view {

namespace {

constexpr const char* json_type = "application/json";
constexpr const char* binary_type = "application/octet-stream";

template <class Number>
std::string raw_bytes(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), sizeof(Number) * numbers.size()};
}

// "data/1/times.bin" → 1 and "times.bin"; false for other names.
bool split_data_name(std::string_view name, std::size_t& number, std::string& rest) {
  constexpr std::string_view folder = "data/";
  if (!name.starts_with(folder)) return false;
  name.remove_prefix(folder.size());
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end == name.data() + name.size() || *end != '/') return false;
  rest = name.substr(static_cast<std::size_t>(end - name.data()) + 1);
  return true;
}

}  // namespace

struct Site::Result {
  SiteResult given;
  FramePacker packer;
  std::vector<double> times;
  // The frame that was packed last: answers go out in pieces that are smaller than the frames of a large model.
  std::uint64_t packed_number = std::numeric_limits<std::uint64_t>::max();
  std::string packed;

  explicit Result(SiteResult result) : given(std::move(result)), packer(*given.mechanism, *given.run) {}

  std::uint64_t frames() const { return given.run->frames.count; }
  void follow();
  void look_again();
  int misses = 0;  // one after the other
  const std::vector<double>& clock();
  const std::string& pack(std::uint64_t number);
  std::string status() const;
};

// Looks at the file of a run that goes on. One that is looked at in the midst of being written may not be readable:
// then what was known stands, until it stays so.
void Site::Result::follow() {
  constexpr int most_misses = 20;
  if (!given.reader || given.run->finished) return;
  try {
    look_again();
    misses = 0;
  } catch (const ResultError&) {
    if (++misses > most_misses) throw;
  }
}

// Without new frames: has it ended, has a resumed run replaced it?
void Site::Result::look_again() {
  if (!given.reader->refresh()) {
    io::ReadOptions options;
    options.probe = false;  // it was looked at when it was opened
    io::ResultReader again(given.reader->path(), options);
    if (again.frames() < frames()) return;
    *given.reader = std::move(again);
  }
  given.run->frames.count = given.reader->frames();
  given.run->summary = given.reader->summary();
  given.run->finished = given.reader->finished();
}

const std::vector<double>& Site::Result::clock() {
  if (times.size() == frames()) return times;
  if (given.reader) {
    times = given.reader->clock();
  } else {
    analysis::Frame frame;
    given.run->frames.read(0, frame);
    times = {frame.t};
  }
  return times;
}

const std::string& Site::Result::pack(std::uint64_t number) {
  if (number != packed_number) {
    packed_number = std::numeric_limits<std::uint64_t>::max();  // should reading fail
    packed.clear();
    packer.pack(number, 1, packed);
    packed_number = number;
  }
  return packed;
}

std::string Site::Result::status() const {
  const bool still = !given.reader, finished = still || given.run->finished;
  const nlohmann::ordered_json status{{"frames", frames()},
                                      {"finished", finished},
                                      {"status", still      ? "model"
                                                 : finished ? given.run->summary.status
                                                            : std::string("running")}};
  return status.dump();
}

namespace {

// One number a frame, computed for the frames that are asked for.
class SeriesResource final : public Resource {
 public:
  SeriesResource(const mechanism::Mechanism& m, const Run& run, analysis::Quantity quantity)
      : mechanism_(m), run_(run), quantity_(std::move(quantity)) {}
  std::string type() const override { return binary_type; }
  std::uint64_t size() override { return sizeof(double) * run_.frames.count; }
  std::string read(std::uint64_t offset, std::uint64_t count) override {
    const std::uint64_t first = offset / sizeof(double), end = (offset + count + sizeof(double) - 1) / sizeof(double);
    std::vector<double> values;
    for (std::uint64_t k = first; k < end; ++k) {
      run_.frames.read(k, frame_);
      mechanism_.motions(as_span(frame_.q), as_span(frame_.v), motions_);
      values.push_back(quantity_.value(frame_, motions_));
    }
    return raw_bytes(values).substr(offset - first * sizeof(double), count);
  }

 private:
  const mechanism::Mechanism& mechanism_;
  const Run& run_;
  analysis::Quantity quantity_;
  analysis::Frame frame_;
  mechanism::Motions motions_;
};

// frames.bin, made of the frames that a range touches.
class FramesResource final : public Resource {
 public:
  using Pack = std::function<const std::string&(std::uint64_t)>;
  FramesResource(const Run& run, std::uint64_t bytes, Pack pack) : run_(run), bytes_(bytes), pack_(std::move(pack)) {}
  std::string type() const override { return binary_type; }
  std::uint64_t size() override { return bytes_ * run_.frames.count; }
  std::string read(std::uint64_t offset, std::uint64_t count) override {
    std::string out;
    while (out.size() < count) {
      const std::uint64_t at = offset + out.size();
      out.append(pack_(at / bytes_), at % bytes_, count - out.size());
    }
    return out;
  }

 private:
  const Run& run_;
  std::uint64_t bytes_;
  Pack pack_;
};

}  // namespace

Site::Site(std::vector<SiteResult> results) {
  nlohmann::ordered_json index{{"results", nlohmann::json::array()}, {"live", false}};
  for (SiteResult& result : results) {
    const std::string path = "data/" + std::to_string(results_.size()) + "/";
    index["results"].push_back({{"path", path}, {"label", result.label}});
    if (result.reader && !result.run->finished) index["live"] = true;
    results_.push_back(std::make_shared<Result>(std::move(result)));
  }
  index_ = index.dump();
}

Site::~Site() = default;

std::shared_ptr<Resource> Site::find(const std::string& name) {
  for (const WebAsset& asset : web_assets())
    if (asset.name == name || (name.empty() && asset.name == "index.html"))
      return text_resource(std::string(asset.type), std::string(asset.content));
  if (name == "results.json") return text_resource(json_type, index_);

  std::size_t number = 0;
  std::string what;
  if (!split_data_name(name, number, what) || number >= results_.size()) return nullptr;
  const std::shared_ptr<Result> result = results_[number];
  if (what == "scene.json") return text_resource(json_type, result->given.scene);
  if (what == "times.bin") return text_resource(binary_type, raw_bytes(result->clock()));
  if (what == "frames.bin")
    return std::make_shared<FramesResource>(
        *result->given.run, result->packer.bytes(),
        [result](std::uint64_t k) -> const std::string& { return result->pack(k); });
  if (what == "status.json") {
    result->follow();
    return text_resource(json_type, result->status());
  }
  constexpr std::string_view series = "series/";
  if (!what.starts_with(series) || !result->given.reader) return nullptr;
  try {
    return std::make_shared<SeriesResource>(
        *result->given.mechanism, *result->given.run,
        analysis::find_quantity(*result->given.mechanism, result->given.run->header, what.substr(series.size())));
  } catch (const ModelError&) {  // no such quantity
    return nullptr;
  } catch (const ResultError&) {  // not kept by this file
    return nullptr;
  }
}

}  // namespace mortise::view
