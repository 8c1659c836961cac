#include "mortise/io/results_events.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "mortise/io/results_layout.h"

namespace mortise::io {

using analysis::EventEntry;

namespace {

struct LedgerColumn {
  const char* path;
  const char* unit;
  const char* meaning;
  double EventEntry::*member;
};

const std::vector<LedgerColumn>& columns() {
  static const std::vector<LedgerColumn> all{
      {"events/time", "s", "time of each event", &EventEntry::t},
      {"events/impulse", "N s, N m s", "root of the sum of squares of the impulses of its rows", &EventEntry::impulse},
      {"events/work", "J", "of the impulse, from it alone: (v+ + v-)/2 . P", &EventEntry::work},
      {"events/kinetic_before", "J", "kinetic energy before", &EventEntry::kinetic_before},
      {"events/kinetic_after", "J", "kinetic energy after", &EventEntry::kinetic_after},
      {"events/velocity_jump", "1", "largest jump of a velocity, over its typical size", &EventEntry::jump}};
  return all;
}

constexpr std::size_t what_bytes = 16, joints_bytes = 256;
constexpr hsize_t chunk = 1024;

// A text in its fixed length; a longer one is cut at a whole character.
std::string fixed(std::string text, std::size_t bytes) {
  if (text.size() > bytes) {
    std::size_t end = bytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    text.resize(end);
  }
  text.resize(bytes, '\0');
  return text;
}

std::uint64_t checksum(const EventEntry& e, std::uint64_t number) {
  std::string bytes;
  const auto put = [&](const auto& value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
  for (const LedgerColumn& c : columns()) put(e.*c.member);
  put(static_cast<std::int64_t>(e.event));
  put(e.frame);
  bytes += fixed(e.what, what_bytes) + fixed(e.joints, joints_bytes);
  return hash_bytes(bytes.data(), bytes.size(), number + 1);
}

hdf5::Handle growing(hid_t file, const char* path, hid_t type, const char* unit, const char* meaning) {
  hdf5::Handle dataset = hdf5::create_growing(file, path, type, {}, chunk);
  hdf5::write_text_attribute(dataset.id(), "unit", unit);
  hdf5::write_text_attribute(dataset.id(), "meaning", meaning);
  return dataset;
}

}  // namespace

void EventTable::create(hid_t file, const analysis::RunHeader& header) {
  if (header.events.empty()) return;
  hdf5::create_group(file, "events");
  hdf5::write_names(file, "events/names", header.events);
  for (const LedgerColumn& c : columns()) numbers_.push_back(growing(file, c.path, H5T_IEEE_F64LE, c.unit, c.meaning));
  event_ = growing(file, "events/event", H5T_STD_I64LE, "1", "number in /events/names");
  frame_ = growing(file, "events/frame", H5T_STD_U64LE, "1",
                   "number of the frame after it; the one before it stands before");
  what_type_ = hdf5::text_type(what_bytes);
  joints_type_ = hdf5::text_type(joints_bytes);
  what_ = growing(file, "events/what", what_type_.id(), "", "what happened");
  joints_ = growing(file, "events/joints", joints_type_.id(), "", "whose rows were switched or hit");
  checksum_ = growing(file, "events/checksum", H5T_STD_U64LE, "1", "xxHash64 of each row, seeded with its number + 1");
}

void EventTable::write() {
  if (waiting_.empty() || numbers_.empty()) return;
  for (const EventEntry& entry : waiting_) {
    EventEntry e = entry;
    for (std::size_t k = 0; k < columns().size(); ++k)
      hdf5::write_rows(numbers_[k].id(), H5T_NATIVE_DOUBLE, rows_, 1, &(e.*columns()[k].member));
    const std::int64_t event = e.event;
    const std::uint64_t frame = e.frame, sum = checksum(e, rows_);
    const std::string what = fixed(e.what, what_bytes), joints = fixed(e.joints, joints_bytes);
    hdf5::write_rows(event_.id(), H5T_NATIVE_INT64, rows_, 1, &event);
    hdf5::write_rows(frame_.id(), H5T_NATIVE_UINT64, rows_, 1, &frame);
    hdf5::write_rows(what_.id(), what_type_.id(), rows_, 1, what.data());
    hdf5::write_rows(joints_.id(), joints_type_.id(), rows_, 1, joints.data());
    hdf5::write_rows(checksum_.id(), H5T_NATIVE_UINT64, rows_, 1, &sum);
    ++rows_;
  }
  waiting_.clear();
  for (const hdf5::Handle& dataset : numbers_) hdf5::check_status(H5Dflush(dataset.id()), "cannot write");
  for (const hdf5::Handle* dataset : {&event_, &frame_, &what_, &joints_, &checksum_})
    hdf5::check_status(H5Dflush(dataset->id()), "cannot write");
}

bool EventTable::close() {
  bool closed = true;
  for (hdf5::Handle& dataset : numbers_) closed = dataset.close() && closed;
  for (hdf5::Handle* handle : {&event_, &frame_, &what_, &joints_, &checksum_, &what_type_, &joints_type_})
    closed = handle->close() && closed;
  return closed;
}

std::vector<EventEntry> EventTable::read(hid_t file, const analysis::RunHeader& header, std::uint64_t frames) {
  std::vector<EventEntry> entries;
  if (header.events.empty()) return entries;
  std::vector<hdf5::Handle> numbers;
  for (const LedgerColumn& c : columns()) numbers.push_back(hdf5::open_dataset(file, c.path, H5T_FLOAT, 8));
  const hdf5::Handle event = hdf5::open_dataset(file, "events/event", H5T_INTEGER, 8),
                     frame = hdf5::open_dataset(file, "events/frame", H5T_INTEGER, 8),
                     what = hdf5::open_dataset(file, "events/what", H5T_STRING, what_bytes),
                     joints = hdf5::open_dataset(file, "events/joints", H5T_STRING, joints_bytes),
                     sums = hdf5::open_dataset(file, "events/checksum", H5T_INTEGER, 8);
  // A run that goes on extends them one after the other: rows that all of them have.
  hsize_t rows = ~hsize_t{0};
  const auto least = [&](const hdf5::Handle& dataset) {
    hdf5::check_status(H5Drefresh(dataset.id()), "cannot read");
    const std::vector<hsize_t> shape = hdf5::extent(dataset.id());
    if (shape.size() != 1) throw hdf5::Failure("the ledger of events has an unexpected shape");
    rows = std::min(rows, shape[0]);
  };
  for (const hdf5::Handle& dataset : numbers) least(dataset);
  for (const hdf5::Handle* dataset : {&event, &frame, &what, &joints, &sums}) least(*dataset);
  const hdf5::Handle what_type = hdf5::text_type(what_bytes), joints_type = hdf5::text_type(joints_bytes);
  for (hsize_t row = 0; row < rows; ++row) {
    EventEntry e;
    std::uint64_t sum = 0;
    hdf5::read_rows(frame.id(), H5T_NATIVE_UINT64, row, 1, &e.frame);
    if (e.frame >= frames) break;
    for (std::size_t k = 0; k < numbers.size(); ++k)
      hdf5::read_rows(numbers[k].id(), H5T_NATIVE_DOUBLE, row, 1, &(e.*columns()[k].member));
    std::int64_t number = 0;
    hdf5::read_rows(event.id(), H5T_NATIVE_INT64, row, 1, &number);
    std::string word(what_bytes, '\0'), list(joints_bytes, '\0');
    hdf5::read_rows(what.id(), what_type.id(), row, 1, word.data());
    hdf5::read_rows(joints.id(), joints_type.id(), row, 1, list.data());
    e.what = word.substr(0, word.find('\0'));
    e.joints = list.substr(0, list.find('\0'));
    hdf5::read_rows(sums.id(), H5T_NATIVE_UINT64, row, 1, &sum);
    if (number < 0 || number >= static_cast<std::int64_t>(header.events.size()))
      throw hdf5::Failure("an event has no name");
    e.event = static_cast<int>(number);
    if (checksum(e, row) != sum)
      throw hdf5::Failure("the checksum of event " + std::to_string(row) + " does not match");
    entries.push_back(std::move(e));
  }
  return entries;
}

}  // namespace mortise::io
