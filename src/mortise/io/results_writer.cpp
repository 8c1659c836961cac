#include "mortise/io/results_writer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <Eigen/Core>
#include <array>
#include <chrono>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "mortise/error.h"
#include "mortise/io/checkpoint.h"
#include "mortise/io/hdf5_driver.h"
#include "mortise/io/results_events.h"
#include "mortise/io/results_files.h"
#include "mortise/io/results_layout.h"
#include "mortise/io/results_reader.h"

namespace mortise::io {

using analysis::Frame;
using analysis::RunHeader;
using analysis::RunSummary;
using Clock = std::chrono::steady_clock;

namespace {

std::string library_versions() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("HDF5 {}.{}.{}, Eigen {}.{}.{}, fmt {}.{}.{}", major, minor, release, EIGEN_WORLD_VERSION,
                     EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION, FMT_VERSION / 10000, FMT_VERSION / 100 % 100,
                     FMT_VERSION % 100);
}

}  // namespace

struct ResultWriter::File {
  std::string path, target, part;
  ResultWriterOptions options;
  std::optional<std::uint64_t> keep;  // frames of the former file: resume

  std::vector<ResultField> fields;
  FrameBlock block;
  std::vector<std::uint64_t> checksums;  // of the frames in `block`
  std::size_t buffered = 0;
  std::uint64_t counted = 0;
  Clock::time_point last_write;

  hdf5::DiskShield disk;  // declared before the file that writes through it
  hdf5::Handle file, counter, guard, guard_type, checksum, status, status_type, summary_checksum;
  std::vector<hdf5::Handle> datasets, summary;
  EventTable events;
  bool open = false, published = false;
  std::string failure;

  void create(const RunHeader&);
  void create_summary();
  void copy_former_frames(const RunHeader&);
  void add(const Frame&);
  void write_batch(bool durable);
  void write_count(std::uint64_t frames);
  void write_summary(const RunSummary&);
  bool close();
  void abandon();

  // Runs `work`; whatever HDF5 or the system refuses leaves the file frozen and becomes an OutputError.
  template <class Work>
  void guarded(Work&& work) {
    if (!failure.empty()) throw OutputError(path, failure);
    if (!open) throw std::logic_error("a ResultWriter is used before begin() or after end()");
    const hdf5::QuietScope quiet;
    try {
      work();
    } catch (const hdf5::Failure& error) {
      fail(error.what());
    } catch (const OutputError& error) {
      const std::string text = error.what(), prefix = error.file() + ": ";
      fail(text.starts_with(prefix) ? text.substr(prefix.size()) : text);
    }
  }
  [[noreturn]] void fail(const std::string& reason) {
    failure = fmt::format("results cannot be written: {}{}", reason,
                          published ? fmt::format("; the {} frames written before remain readable", counted) : "");
    abandon();
    throw OutputError(path, failure);
  }
};

void ResultWriter::File::create(const RunHeader& header) {
  const auto count = [](int n) { return static_cast<std::uint64_t>(n); };
  file = hdf5::create_file(part, disk);
  hdf5::write_text_attribute(file.id(), "format", results_format);
  hdf5::write_integer_attribute(file.id(), "format_version",
                                header.kept || header.single ? results_format_version : std::uint64_t{1});
  hdf5::write_integer_attribute(file.id(), "header_checksum", hash_header(header));
  {
    const hdf5::Handle model = hdf5::create_group(file.id(), "model");
    hdf5::write_text_attribute(model.id(), "name", header.model_name);
    hdf5::write_text_attribute(model.id(), "text", header.model_text);
    hdf5::write_integer_attribute(model.id(), "dimension", count(header.dimension));
    hdf5::write_integer_attribute(model.id(), "q_size", count(header.q_size));
    hdf5::write_integer_attribute(model.id(), "v_size", count(header.v_size));
    hdf5::write_integer_attribute(model.id(), "rows", count(header.rows));
    if (!header.events.empty()) hdf5::write_integer_attribute(model.id(), "inputs", count(header.inputs));
    if (header.single) hdf5::write_text_attribute(model.id(), "precision", "float32");
    if (header.kept) {
      hdf5::write_integer_attribute(model.id(), "bodies", count(header.kept->all_bodies));
      hdf5::write_integer_attribute(model.id(), "joints", count(header.kept->all_joints));
    }
  }
  for (const char* group : {"state", "bodies", "joints", "energy", "constraints"}) hdf5::create_group(file.id(), group);
  if (!header.quantities.empty()) {
    hdf5::create_group(file.id(), "quantities");
    hdf5::write_names(file.id(), "quantity_names", header.quantities);
    hdf5::write_names(file.id(), "quantity_units", header.quantity_units);
  }
  hdf5::write_names(file.id(), "bodies/names", header.bodies);
  hdf5::write_names(file.id(), "joints/names", header.joints);
  hdf5::write_names(file.id(), "constraints/rows", header.row_names);
  if (header.kept)
    for (const KeptList& list : kept_lists()) hdf5::write_numbers(file.id(), list.path, *header.kept.*list.member);
  {
    const hdf5::Handle run = hdf5::create_group(file.id(), "run");
    hdf5::write_text_attribute(run.id(), "version", header.version);
    hdf5::write_text_attribute(run.id(), "options", header.options);
    hdf5::write_text_attribute(run.id(), "libraries", library_versions());
  }
  create_summary();
  events.create(file.id(), header);

  datasets.clear();
  for (const ResultField& field : fields) {
    const std::vector<hsize_t> rest(field.shape.begin(), field.shape.end());
    datasets.push_back(hdf5::create_growing(file.id(), field.path, field.single ? H5T_IEEE_F32LE : H5T_IEEE_F64LE, rest,
                                            chunk_frames(field)));
    hdf5::write_text_attribute(datasets.back().id(), "unit", field.unit);
    hdf5::write_text_attribute(datasets.back().id(), "columns", field.columns);
    hdf5::write_text_attribute(datasets.back().id(), "meaning", field.meaning);
  }
  checksum = hdf5::create_growing(file.id(), "checksum", H5T_STD_U64LE, {}, 8192);
  hdf5::write_text_attribute(checksum.id(), "meaning", "xxHash64 of each frame's numbers, seeded with its number + 1");

  const std::uint64_t none = 0;
  const hsize_t two = 2;
  const std::array<std::uint64_t, 2> guards{hash_count(0), hash_count(0)};
  guard_type = {hdf5::check(H5Tarray_create2(H5T_STD_U64LE, 1, &two), "type"), H5Tclose};
  guard = hdf5::create_scalar(file.id(), "frames_guard", guard_type.id(), guards.data());
  counter = hdf5::create_scalar(file.id(), "frames", H5T_NATIVE_UINT64, &none);
  hdf5::write_text_attribute(counter.id(), "meaning", "frames that are whole: trust no row beyond this number");
  hdf5::check_status(H5Fstart_swmr_write(file.id()), "cannot enter single-writer mode");
}

void ResultWriter::File::create_summary() {
  const std::int64_t unknown = -1;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  summary.clear();
  for (const SummaryItem& item : summary_items()) {
    const std::string name = std::string("run/") + item.name;
    summary.push_back(item.integer ? hdf5::create_scalar(file.id(), name, H5T_NATIVE_INT64, &unknown)
                                   : hdf5::create_scalar(file.id(), name, H5T_NATIVE_DOUBLE, &nan));
    hdf5::write_text_attribute(summary.back().id(), "unit", item.unit);
  }
  const std::uint64_t none = 0;
  summary_checksum = hdf5::create_scalar(file.id(), "run/checksum", H5T_NATIVE_UINT64, &none);
  status_type = hdf5::text_type(status_bytes);
  std::string running = "running";
  running.resize(status_bytes, '\0');
  status = hdf5::create_scalar(file.id(), "run/status", status_type.id(), running.data());
}

void ResultWriter::File::copy_former_frames(const RunHeader& header) {
  ReadOptions trusted;
  trusted.probe = false;
  ResultReader former(target, trusted);
  const RunHeader& old = former.header();
  if (old.model_text != header.model_text || old.bodies != header.bodies || old.joints != header.joints ||
      old.row_names != header.row_names || old.dimension != header.dimension || old.q_size != header.q_size ||
      old.v_size != header.v_size || old.rows != header.rows || old.single != header.single)
    throw ResultError(path, "cannot be continued: it is the result of another model ('" + old.model_name + "')");
  if (old.options != header.options)
    throw ResultError(path, "cannot be continued: its run had other options (" + old.options + ")");
  if (former.frames() < *keep)
    throw ResultError(path, fmt::format("cannot be continued after {} frames: it has {}", *keep, former.frames()));
  Frame frame;
  for (std::uint64_t k = 0; k < *keep; ++k) {
    former.read_frame(k, frame);
    add(frame);
    if (buffered == block.capacity()) write_batch(false);
  }
  for (const analysis::EventEntry& entry : former.events())
    if (entry.frame < *keep) events.add(entry);
  write_batch(false);
}

void ResultWriter::File::add(const Frame& frame) {
  for (std::size_t k = 0; k < fields.size(); ++k) gather(fields[k], frame, block.row(k, buffered));
  checksums[buffered] = block.checksum(buffered, counted + buffered);
  ++buffered;
}

void ResultWriter::File::write_batch(bool durable) {
  events.write();  // before the frames that follow them are counted
  if (buffered > 0) {
    for (std::size_t k = 0; k < fields.size(); ++k)
      hdf5::write_rows(datasets[k].id(), H5T_NATIVE_DOUBLE, counted, buffered, block.rows(k));
    hdf5::write_rows(checksum.id(), H5T_NATIVE_UINT64, counted, buffered, checksums.data());
    for (const hdf5::Handle& dataset : datasets) hdf5::check_status(H5Dflush(dataset.id()), "cannot write");
    hdf5::check_status(H5Dflush(checksum.id()), "cannot write");
  }
  disk.check();
  if (durable) sync_descriptor(disk.descriptor, path);
  if (buffered > 0) {
    write_count(counted + buffered);
    buffered = 0;
    if (durable) sync_descriptor(disk.descriptor, path);
  }
  last_write = Clock::now();
}

// The counter is the last thing that makes frames count. A flipped bit in it would hide frames, so two hashes stand
// beside it: while it changes those of the old and of the new value, else twice that of its value.
void ResultWriter::File::write_count(std::uint64_t frames) {
  const auto write_guard = [&](std::uint64_t first, std::uint64_t second) {
    const std::array<std::uint64_t, 2> hashes{hash_count(first), hash_count(second)};
    hdf5::write_scalar(guard.id(), guard_type.id(), hashes.data());
  };
  write_guard(counted, frames);
  hdf5::write_scalar(counter.id(), H5T_NATIVE_UINT64, &frames);
  disk.check();
  counted = frames;
  write_guard(frames, frames);
}

void ResultWriter::File::write_summary(const RunSummary& given) {
  RunSummary s = given;
  if (s.status.size() > status_bytes) s.status.resize(status_bytes);
  const auto& items = summary_items();
  for (std::size_t k = 0; k < items.size(); ++k) {
    const std::int64_t integer = items[k].integer ? s.*items[k].integer : 0;
    const double real = items[k].real ? s.*items[k].real : 0;
    items[k].integer ? hdf5::write_scalar(summary[k].id(), H5T_NATIVE_INT64, &integer)
                     : hdf5::write_scalar(summary[k].id(), H5T_NATIVE_DOUBLE, &real);
  }
  const std::uint64_t sum = hash_summary(s);
  hdf5::write_scalar(summary_checksum.id(), H5T_NATIVE_UINT64, &sum);
  s.status.resize(status_bytes, '\0');
  hdf5::write_scalar(status.id(), status_type.id(), s.status.data());
}

bool ResultWriter::File::close() {
  open = false;
  bool closed = true;
  for (hdf5::Handle& dataset : datasets) closed = dataset.close() && closed;
  for (hdf5::Handle& dataset : summary) closed = dataset.close() && closed;
  for (hdf5::Handle* handle : {&counter, &guard, &guard_type, &checksum, &status, &status_type, &summary_checksum})
    closed = handle->close() && closed;
  closed = events.close() && closed;
  return file.close() && closed;
}

// After a refused write: `disk` lets nothing through any more, so the file stays as it stands.
void ResultWriter::File::abandon() {
  close();
  if (!published && !part.empty()) ::unlink(part.c_str());
}

ResultWriter::ResultWriter(std::string path, ResultWriterOptions options) : file_(std::make_unique<File>()) {
  file_->path = std::move(path);
  file_->options = options;
}

ResultWriter ResultWriter::resume(std::string path, std::uint64_t frames_to_keep, ResultWriterOptions options) {
  ResultWriter writer(std::move(path), options);
  writer.file_->keep = frames_to_keep;
  return writer;
}

ResultWriter::ResultWriter(ResultWriter&&) noexcept = default;
ResultWriter& ResultWriter::operator=(ResultWriter&& other) noexcept {
  std::swap(file_, other.file_);  // what was open here ends with `other`
  return *this;
}

ResultWriter::~ResultWriter() {
  if (!file_ || !file_->open) return;
  const hdf5::QuietScope quiet;
  try {
    file_->guarded([&] { file_->write_batch(false); });
    file_->close();
  } catch (...) {  // the file was left as it stands; a destructor has nobody to tell
  }
}

void ResultWriter::begin(const RunHeader& header) {
  File& f = *file_;
  if (f.open || f.published) throw std::logic_error("ResultWriter::begin() is called once");
  f.target = output_target(f.path);
  remove_stale_parts(f.target);
  f.part = part_name(f.target);
  f.fields = result_fields(header);
  f.block = FrameBlock(f.fields, frames_per_batch(f.fields, f.options.buffer_bytes));
  f.checksums.resize(f.block.capacity());
  f.open = true;
  f.guarded([&] {
    try {
      f.create(header);
      if (f.keep) f.copy_former_frames(header);
      hdf5::check_status(H5Fflush(f.file.id(), H5F_SCOPE_GLOBAL), "cannot write");
      f.disk.check();
      sync_descriptor(f.disk.descriptor, f.path);
      if (!f.keep) remove_checkpoints(f.target);
      publish(f.part, f.target, folder_of(f.target));
    } catch (const ResultError&) {
      f.abandon();
      throw;
    }
    f.published = true;
  });
  f.last_write = Clock::now();
}

void ResultWriter::frame(const Frame& frame) {
  File& f = *file_;
  if (!f.failure.empty()) throw OutputError(f.path, f.failure);
  if (!f.open) throw std::logic_error("ResultWriter::frame() before begin() or after end()");
  f.add(frame);
  const bool late = std::chrono::duration<double>(Clock::now() - f.last_write).count() >= f.options.write_interval;
  if (f.buffered == f.block.capacity() || late) f.guarded([&] { f.write_batch(false); });
}

void ResultWriter::event(const analysis::EventEntry& entry) {
  if (!file_->failure.empty()) throw OutputError(file_->path, file_->failure);
  file_->events.add(entry);
}

void ResultWriter::flush() {
  file_->guarded([&] { file_->write_batch(true); });
}

void ResultWriter::end(const RunSummary& summary) {
  File& f = *file_;
  f.guarded([&] {
    f.write_batch(true);
    f.write_summary(summary);
    const bool closed = f.close();
    f.disk.check();
    if (!closed) throw hdf5::Failure("cannot close the file");
    sync_file(f.target);
  });
}

std::uint64_t ResultWriter::frames() const { return file_->counted + file_->buffered; }
std::uint64_t ResultWriter::frames_counted() const { return file_->counted; }
const std::string& ResultWriter::path() const { return file_->path; }

}  // namespace mortise::io
