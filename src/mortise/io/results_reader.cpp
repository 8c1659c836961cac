#include "mortise/io/results_reader.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <thread>
#include <utility>

#include "mortise/error.h"
#include "mortise/io/hdf5.h"
#include "mortise/io/results_events.h"
#include "mortise/io/results_layout.h"
#include "mortise/io/results_probe.h"

namespace mortise::io {

using analysis::Frame;
using analysis::RunHeader;
using analysis::RunSummary;

namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;

std::uint64_t size_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw ResultError(path, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) throw ResultError(path, "is not a regular file");
  return static_cast<std::uint64_t>(status.st_size);
}

// Looks at HDF5's superblock (version 3, the only one we write) without the library: signature, marks of a writer that
// did not close, and the size the file should have. True: the run did not close it.
bool left_open(const std::string& path) {
  const std::uint64_t size = size_of(path);
  std::array<unsigned char, 48> head{};
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw ResultError(path, std::string("cannot be read: ") + std::strerror(errno));
  stream.read(reinterpret_cast<char*>(head.data()), head.size());
  const auto got = static_cast<std::size_t>(stream.gcount());
  constexpr std::array<unsigned char, 8> signature{0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  if (got < signature.size() || !std::equal(signature.begin(), signature.end(), head.begin()))
    throw ResultError(path, size == 0 ? "is empty" : "is not a result file of Mortise");
  if (got < head.size()) throw ResultError(path, "is truncated");
  if (head[8] != 3 || head[9] != 8 || head[10] != 8)
    throw ResultError(path, "is an HDF5 file, but not a result file of Mortise (or its first bytes are damaged)");
  std::uint64_t expected = 0;
  for (std::size_t k = 8; k-- > 0;) expected = expected << 8 | head[28 + k];
  if (head[11] == 0 && size < expected)
    throw ResultError(path, fmt::format("is truncated: {} of {} bytes are left", size, expected));
  return head[11] != 0;
}

int small_count(std::uint64_t value, const char* name) {
  if (value > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
    throw hdf5::Failure(std::string(name) + " is out of range");
  return static_cast<int>(value);
}

}  // namespace

struct ResultReader::File {
  std::string path;
  bool unclosed = false, finished = false;
  RunHeader header;
  RunSummary summary;
  std::vector<ResultField> fields;
  std::uint64_t frames = 0;

  hdf5::Handle file, counter, guard, checksum;
  std::vector<hdf5::Handle> datasets;

  FrameBlock block;
  std::vector<std::uint64_t> sums;
  std::uint64_t first = 0, loaded = 0;  // frames in `block`

  explicit File(std::string name) : path(std::move(name)) {}
  void open();
  void open_hdf5();
  void read_header(std::uint64_t size);
  void read_kept(hid_t model, std::uint64_t size);
  void read_summary();
  std::uint64_t read_count();
  void refresh_rows();
  void check_shapes();
  void load(std::uint64_t number);
  void touch_chunks(bool every);

  template <class Work>
  void guarded(Work&& work) {
    const hdf5::QuietScope quiet;
    try {
      work();
    } catch (const hdf5::Failure& error) {
      throw ResultError(path, fmt::format("is damaged or not a result file of Mortise: {}", error.what()));
    }
  }
};

// A file that was not closed needs SWMR; one that was must be opened plainly. A run that ends at this very moment may
// turn one into the other, hence the second try.
void ResultReader::File::open_hdf5() {
  try {
    file = hdf5::open_file(path, unclosed);
  } catch (const hdf5::Failure&) {
    file = hdf5::open_file(path, !unclosed);
  }
}

void ResultReader::File::open() {
  unclosed = left_open(path);
  guarded([&] {
    open_hdf5();
    read_header(size_of(path));
    fields = result_fields(header);
    counter = hdf5::open_dataset(file.id(), "frames", H5T_INTEGER, 8);
    guard = hdf5::open_dataset(file.id(), "frames_guard", H5T_ARRAY, 16);
    frames = read_count();  // before the rows are looked at: they are at least as many
    for (const ResultField& field : fields)
      datasets.push_back(hdf5::open_dataset(file.id(), field.path, H5T_FLOAT, field.bytes()));
    checksum = hdf5::open_dataset(file.id(), "checksum", H5T_INTEGER, 8);
    if (unclosed) refresh_rows();  // another reader in this process may hold an older view
    check_shapes();
    read_summary();
    const std::size_t capacity =
        std::min<std::uint64_t>(frames_per_batch(fields, block_bytes), std::max<std::uint64_t>(frames, 1));
    block = FrameBlock(fields, capacity);
    sums.resize(capacity);
  });
}

void ResultReader::File::read_header(std::uint64_t size) {
  const std::string format = hdf5::read_text_attribute(file.id(), "format", 64);
  if (format != results_format) throw ResultError(path, "is not a result file of Mortise");
  const std::uint64_t version = hdf5::read_integer_attribute(file.id(), "format_version");
  if (version > results_format_version)
    throw ResultError(path, fmt::format("has format version {}; this program reads up to version {}: use a newer one",
                                        version, results_format_version));
  const hdf5::Handle model = hdf5::open_group(file.id(), "model");
  const auto count = [&](const char* name) {
    return small_count(hdf5::read_integer_attribute(model.id(), name), name);
  };
  header.dimension = count("dimension");
  header.q_size = count("q_size");
  header.v_size = count("v_size");
  header.rows = count("rows");
  header.model_name = hdf5::read_text_attribute(model.id(), "name", size);
  header.model_text = hdf5::read_text_attribute(model.id(), "text", size);
  const hdf5::Handle run = hdf5::open_group(file.id(), "run");
  header.version = hdf5::read_text_attribute(run.id(), "version", size);
  header.options = hdf5::read_text_attribute(run.id(), "options", size);
  header.bodies = hdf5::read_names(file.id(), "bodies/names", size);
  header.joints = hdf5::read_names(file.id(), "joints/names", size);
  header.row_names = hdf5::read_names(file.id(), "constraints/rows", size);
  if (H5Lexists(file.id(), "quantity_names", H5P_DEFAULT) > 0) {
    header.quantities = hdf5::read_names(file.id(), "quantity_names", size);
    header.quantity_units = hdf5::read_names(file.id(), "quantity_units", size);
    if (header.quantities.size() != header.quantity_units.size())
      throw hdf5::Failure("the names and the units of quantities differ in number");
  }
  if (H5Lexists(file.id(), "events", H5P_DEFAULT) > 0) {
    header.events = hdf5::read_names(file.id(), "events/names", size);
    header.inputs = count("inputs");
  }
  header.single = version > 1 && H5Aexists(model.id(), "precision") > 0;
  if (version > 1 && H5Aexists(model.id(), "bodies") > 0) read_kept(model.id(), size);
  if ((header.dimension != 2 && header.dimension != 3) ||
      hash_header(header) != hdf5::read_integer_attribute(file.id(), "header_checksum"))
    throw ResultError(path, "is damaged: the checksum of its header does not match");
}

// What a restricted file keeps: numbers that rise and stay within the model, as many as there are names.
void ResultReader::File::read_kept(hid_t model, std::uint64_t size) {
  analysis::Kept& kept = header.kept.emplace();
  kept.all_bodies = small_count(hdf5::read_integer_attribute(model, "bodies"), "bodies");
  kept.all_joints = small_count(hdf5::read_integer_attribute(model, "joints"), "joints");
  const int all[] = {kept.all_bodies, kept.all_joints, header.q_size, header.v_size, header.rows};
  for (std::size_t k = 0; k < kept_lists().size(); ++k) {
    const KeptList& list = kept_lists()[k];
    std::vector<std::uint32_t>& numbers = kept.*list.member = hdf5::read_numbers(file.id(), list.path, size);
    const bool rising = std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<>()) == numbers.end();
    if (!rising || (!numbers.empty() && numbers.back() >= static_cast<std::uint32_t>(all[k])))
      throw hdf5::Failure(std::string(list.path) + " is out of range");
  }
  if (kept.bodies.size() != header.bodies.size() || kept.joints.size() != header.joints.size() ||
      kept.rows.size() != header.row_names.size())
    throw hdf5::Failure("names and numbers of what is kept differ in number");
}

std::uint64_t ResultReader::File::read_count() {
  for (int attempt = 0; attempt < 20; ++attempt) {
    std::uint64_t count = 0;
    std::array<std::uint64_t, 2> guards{};
    hdf5::check_status(H5Drefresh(counter.id()), "cannot read the frame counter");
    hdf5::check_status(H5Drefresh(guard.id()), "cannot read the frame counter");
    hdf5::read_scalar(counter.id(), H5T_NATIVE_UINT64, &count);
    const hsize_t two = 2;
    const hdf5::Handle pair{hdf5::check(H5Tarray_create2(H5T_NATIVE_UINT64, 1, &two), "type"), H5Tclose};
    hdf5::read_scalar(guard.id(), pair.id(), guards.data());
    if (std::find(guards.begin(), guards.end(), hash_count(count)) != guards.end()) return count;
    if (!unclosed) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // a living writer passed by between the two reads
  }
  throw ResultError(path, "is damaged: the checksum of its frame counter does not match");
}

void ResultReader::File::refresh_rows() {
  for (const hdf5::Handle& dataset : datasets) hdf5::check_status(H5Drefresh(dataset.id()), "cannot read");
  hdf5::check_status(H5Drefresh(checksum.id()), "cannot read");
}

void ResultReader::File::check_shapes() {
  std::uint64_t frame_bytes = sizeof(std::uint64_t);
  const auto check = [&](const hdf5::Handle& dataset, const std::vector<std::size_t>& shape, const std::string& name) {
    const std::vector<hsize_t> found = hdf5::extent(dataset.id());
    if (found.size() != shape.size() + 1 || !std::equal(shape.begin(), shape.end(), found.begin() + 1))
      throw hdf5::Failure(name + " has an unexpected shape");
    if (found[0] < frames) throw hdf5::Failure(name + " has fewer rows than the file has frames");
  };
  for (std::size_t k = 0; k < fields.size(); ++k) {
    check(datasets[k], fields[k].shape, fields[k].path);
    frame_bytes += fields[k].numbers() * fields[k].bytes();
  }
  check(checksum, {}, "checksum");
  const std::uint64_t size = size_of(path);
  if (frame_bytes > size && frames > 0) throw hdf5::Failure("its frames are larger than the file");
  if (frames > size / frame_bytes)
    throw ResultError(path, fmt::format("is truncated: {} frames of {} bytes are more than the {} bytes that are left",
                                        frames, frame_bytes, size));
}

void ResultReader::File::read_summary() {
  std::string status(status_bytes, '\0');
  const hdf5::Handle status_data = hdf5::open_dataset(file.id(), "run/status", H5T_STRING, status_bytes);
  hdf5::read_scalar(status_data.id(), hdf5::text_type(status_bytes).id(), status.data());
  summary.status = status.substr(0, status.find('\0'));
  for (const SummaryItem& item : summary_items()) {
    const hdf5::Handle data =
        hdf5::open_dataset(file.id(), std::string("run/") + item.name, item.integer ? H5T_INTEGER : H5T_FLOAT, 8);
    std::int64_t integer = 0;
    if (item.integer) {
      hdf5::read_scalar(data.id(), H5T_NATIVE_INT64, &integer);
      summary.*item.integer = static_cast<long>(integer);
    } else {
      hdf5::read_scalar(data.id(), H5T_NATIVE_DOUBLE, &(summary.*item.real));
    }
  }
  std::uint64_t sum = 0;
  const hdf5::Handle sum_data = hdf5::open_dataset(file.id(), "run/checksum", H5T_INTEGER, 8);
  hdf5::read_scalar(sum_data.id(), H5T_NATIVE_UINT64, &sum);
  finished = sum == hash_summary(summary);
  const bool placeholder = sum == 0 && summary.status == "running";
  if (!finished && !placeholder && !unclosed)
    throw ResultError(path, "is damaged: the checksum of its summary does not match");
  if (!finished) summary = RunSummary{}, summary.status = "unfinished";
}

void ResultReader::File::load(std::uint64_t number) {
  if (number >= first && number < first + loaded) return;
  const std::uint64_t begin = number - number % block.capacity();
  const std::uint64_t count = std::min<std::uint64_t>(block.capacity(), frames - begin);
  loaded = 0;
  for (std::size_t k = 0; k < fields.size(); ++k)
    hdf5::read_rows(datasets[k].id(), H5T_NATIVE_DOUBLE, begin, count, block.rows(k));
  hdf5::read_rows(checksum.id(), H5T_NATIVE_UINT64, begin, count, sums.data());
  first = begin, loaded = count;
}

void ResultReader::File::touch_chunks(bool every) {
  for (std::size_t k = 0; k < fields.size(); ++k) {
    std::vector<double> row(fields[k].numbers());
    const std::uint64_t step = chunk_frames(fields[k]);
    for (std::uint64_t number = 0; number < (every ? frames : std::min<std::uint64_t>(frames, 1)); number += step)
      hdf5::read_rows(datasets[k].id(), H5T_NATIVE_DOUBLE, number, 1, row.data());
  }
}

ResultReader::ResultReader(std::string path, ReadOptions options) : file_(std::make_unique<File>(std::move(path))) {
  if (options.probe) {
    left_open(file_->path);  // what needs no HDF5 needs no child
    probe_in_child(file_->path, [name = file_->path, options] {
      File trial(name);
      trial.open();
      trial.guarded([&] {
        trial.touch_chunks(options.every_chunk);
        EventTable::read(trial.file.id(), trial.header, trial.frames);
      });
    });
  }
  file_->open();
}

ResultReader::ResultReader(ResultReader&&) noexcept = default;
ResultReader& ResultReader::operator=(ResultReader&&) noexcept = default;
ResultReader::~ResultReader() {
  if (!file_) return;
  const hdf5::QuietScope quiet;
  file_.reset();
}

const std::string& ResultReader::path() const { return file_->path; }
const RunHeader& ResultReader::header() const { return file_->header; }
std::uint64_t ResultReader::frames() const { return file_->frames; }
bool ResultReader::finished() const { return file_->finished; }
const RunSummary& ResultReader::summary() const { return file_->summary; }

void ResultReader::read_frame(std::uint64_t number, Frame& frame) {
  File& f = *file_;
  if (number >= f.frames)
    throw ResultError(f.path, fmt::format("has no frame {}: it has {}, counted from 0", number, f.frames));
  f.guarded([&] { f.load(number); });
  const auto at = static_cast<std::size_t>(number - f.first);
  if (f.block.checksum(at, number) != f.sums[at])
    throw ResultError(f.path, fmt::format("is damaged: the checksum of frame {} does not match", number));
  resize(f.fields, frame);
  for (std::size_t k = 0; k < f.fields.size(); ++k) scatter(f.fields[k], f.block.row(k, at), frame);
}

std::vector<analysis::EventEntry> ResultReader::events() {
  std::vector<analysis::EventEntry> entries;
  file_->guarded([&] { entries = EventTable::read(file_->file.id(), file_->header, file_->frames); });
  return entries;
}

std::vector<double> ResultReader::times() {
  std::vector<double> times;
  times.reserve(frames());
  Frame frame;
  for (std::uint64_t k = 0; k < frames(); ++k) {
    read_frame(k, frame);
    times.push_back(frame.t);
  }
  return times;
}

std::vector<double> ResultReader::clock() {
  File& f = *file_;
  std::vector<double> times(static_cast<std::size_t>(f.frames));
  const auto field =
      std::find_if(f.fields.begin(), f.fields.end(), [](const ResultField& one) { return one.path == "time"; });
  const auto at = static_cast<std::size_t>(field - f.fields.begin());
  if (!times.empty())
    f.guarded([&] { hdf5::read_rows(f.datasets.at(at).id(), H5T_NATIVE_DOUBLE, 0, times.size(), times.data()); });
  const bool finite = std::all_of(times.begin(), times.end(), [](double t) { return std::isfinite(t); });
  if (!finite || !std::is_sorted(times.begin(), times.end()))
    throw ResultError(f.path, "is damaged: the times of its frames run backwards");
  return times;
}

void ResultReader::verify() {
  Frame frame;
  for (std::uint64_t k = 0; k < frames(); ++k) read_frame(k, frame);
  events();
}

bool ResultReader::refresh() {
  File& f = *file_;
  const std::uint64_t before = f.frames;
  f.guarded([&] {
    f.frames = std::max(before, f.read_count());
    if (f.frames == before) return;
    f.refresh_rows();
    f.check_shapes();
    f.loaded = 0;
    const std::size_t capacity = std::min<std::uint64_t>(frames_per_batch(f.fields, block_bytes), f.frames);
    f.block = FrameBlock(f.fields, capacity);
    f.sums.resize(capacity);
  });
  return f.frames > before;
}

}  // namespace mortise::io
