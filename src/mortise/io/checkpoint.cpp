#include "mortise/io/checkpoint.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <utility>

#include "mortise/error.h"
#include "mortise/io/results_faults.h"
#include "mortise/io/results_files.h"
#include "mortise/io/results_layout.h"

namespace mortise::io {

namespace {

constexpr std::array<char, 8> magic{'M', 'O', 'R', 'T', 'C', 'K', 'P', 'T'};
constexpr std::uint64_t format_version = 2;  // 2: inputs
constexpr std::size_t word = 8;

std::string generation_name(const std::string& path, std::size_t k) { return path + ".ckpt-" + std::to_string(k); }

std::size_t padded(std::size_t bytes) { return (bytes + word - 1) / word * word; }

std::size_t encoded_size(const State& state) {
  std::size_t size = 8 * word;  // magic, six integers, t
  for (const Vector* values : {&state.q, &state.v, &state.lambda, &state.work, &state.inputs})
    size += word + static_cast<std::size_t>(values->size()) * word;
  size += word + padded(state.active.size()) + word;
  for (const auto& [name, values] : state.memory.slots()) size += 2 * word + padded(name.size()) + values.size() * word;
  return size + word;  // checksum
}

// Fills memory that is already as large as the checkpoint, and zero.
struct Encoder {
  std::byte* at;
  void bytes(const void* data, std::size_t size) {
    if (size > 0) std::memcpy(at, data, size);
    at += padded(size);
  }
  void integer(std::uint64_t value) { bytes(&value, word); }
  void numbers(ConstSpan values) {
    integer(values.size());
    bytes(values.data(), values.size_bytes());
  }
  void text(const void* data, std::size_t size) {
    integer(size);
    bytes(data, size);
  }
};

// Reads what the encoder wrote; a count that does not fit into the rest of the file makes it fail, not allocate.
struct Decoder {
  std::span<const std::byte> in;
  bool failed = false;
  const std::byte* take(std::size_t size) {
    failed = failed || size > in.size() || padded(size) > in.size();
    if (failed) return nullptr;
    const std::byte* data = in.data();
    in = in.subspan(padded(size));
    return data;
  }
  std::uint64_t integer() {
    std::uint64_t value = 0;
    if (const std::byte* data = take(word)) std::memcpy(&value, data, word);
    return value;
  }
  double number() {
    double value = 0;
    if (const std::byte* data = take(word)) std::memcpy(&value, data, word);
    return value;
  }
  std::uint64_t count(std::size_t size_of_one) {
    const std::uint64_t n = integer();
    if (n > in.size() / size_of_one) failed = true;
    return failed ? 0 : n;
  }
  void numbers(Vector& values) {
    values.resize(static_cast<Eigen::Index>(count(word)));
    copy(values.data(), static_cast<std::size_t>(values.size()) * word);
  }
  void copy(void* to, std::size_t size) {
    const std::byte* data = take(size);
    if (data && size > 0) std::memcpy(to, data, size);
  }
};

// A POSIX file being written; every failure is an OutputError that names the checkpoint and removes the part.
class PartFile {
 public:
  PartFile(const std::string& part, const std::string& target)
      : part_(part),
        target_(target),
        descriptor_(::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {
    if (descriptor_ < 0) fail();
  }
  ~PartFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  void write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::write(descriptor_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail();
      bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
  }
  void finish() {
    if (::fsync(descriptor_) != 0) fail();
    if (::close(std::exchange(descriptor_, -1)) != 0) fail();
  }

 private:
  [[noreturn]] void fail() {
    const int reason = errno;
    if (descriptor_ >= 0) ::unlink(part_.c_str());
    throw OutputError(target_, std::string("the checkpoint cannot be written: ") + std::strerror(reason));
  }
  const std::string& part_;
  const std::string& target_;
  int descriptor_;
};

std::optional<Checkpoint> read_generation(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return std::nullopt;
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return decode({data, data + text.size()});
}

}  // namespace

void encode(const State& state, std::uint64_t frames, std::uint64_t sequence, CheckpointIdentity identity,
            std::vector<std::byte>& out) {
  out.assign(encoded_size(state), std::byte{0});
  Encoder e{out.data()};
  e.bytes(magic.data(), magic.size());
  for (const std::uint64_t value :
       {format_version, std::uint64_t{out.size()}, sequence, frames, identity.model, identity.options})
    e.integer(value);
  e.bytes(&state.t, word);
  for (const Vector* values : {&state.q, &state.v, &state.lambda, &state.work, &state.inputs})
    e.numbers(as_span(*values));
  e.text(state.active.data(), state.active.size());
  e.integer(state.memory.slots().size());
  for (const auto& [name, values] : state.memory.slots()) {
    e.text(name.data(), name.size());
    e.numbers(values);
  }
  e.integer(hash_bytes(out.data(), out.size() - word));
}

std::optional<Checkpoint> decode(const std::vector<std::byte>& file) {
  if (file.size() < 8 * word || std::memcmp(file.data(), magic.data(), magic.size()) != 0) return std::nullopt;
  std::uint64_t sum = 0;
  std::memcpy(&sum, file.data() + file.size() - word, word);
  if (hash_bytes(file.data(), file.size() - word) != sum) return std::nullopt;

  Decoder d{std::span(file).first(file.size() - word)};
  d.take(magic.size());
  Checkpoint c;
  if (d.integer() != format_version || d.integer() != file.size()) return std::nullopt;
  c.sequence = d.integer();
  c.frames = d.integer();
  c.identity.model = d.integer();
  c.identity.options = d.integer();
  c.state.t = d.number();
  for (Vector* values : {&c.state.q, &c.state.v, &c.state.lambda, &c.state.work, &c.state.inputs}) d.numbers(*values);
  c.state.active.resize(d.count(1));
  d.copy(c.state.active.data(), c.state.active.size());
  const std::uint64_t slots = d.count(2 * word);
  for (std::uint64_t k = 0; k < slots && !d.failed; ++k) {
    std::string name(d.count(1), '\0');
    d.copy(name.data(), name.size());
    std::vector<double> values(d.count(word));
    d.copy(values.data(), values.size() * word);
    c.state.memory.set(name, std::move(values));
  }
  if (d.failed || !d.in.empty()) return std::nullopt;
  return c;
}

CheckpointWriter::CheckpointWriter(const std::string& path, CheckpointIdentity identity) : identity_(identity) {
  const std::string result = output_target(path);
  folder_ = folder_of(result);
  remove_stale_parts(result);
  for (std::size_t k = 0; k < 2; ++k) {
    target_[k] = generation_name(result, k);
    part_[k] = part_name(target_[k]);
  }
  if (const auto newest = read_newest(result)) sequence_ = newest->sequence + 1;
}

void CheckpointWriter::write(const State& state, std::uint64_t frames) {
  const std::size_t k = sequence_ % 2;
  encode(state, frames, sequence_, identity_, buffer_);
  faults::reached(faults::CheckpointMoment::begin);
  PartFile file(part_[k], target_[k]);
  const auto bytes = std::span<const std::byte>(buffer_);
  file.write(bytes.first(bytes.size() / 2));
  faults::reached(faults::CheckpointMoment::half_written);
  file.write(bytes.subspan(bytes.size() / 2));
  file.finish();
  publish(part_[k], target_[k], folder_);
  ++sequence_;
  faults::reached(faults::CheckpointMoment::renamed);
}

std::optional<Checkpoint> read_newest(const std::string& path) {
  const std::string result = follow_links(path);
  std::optional<Checkpoint> newest;
  for (std::size_t k = 0; k < 2; ++k) {
    std::optional<Checkpoint> found = read_generation(generation_name(result, k));
    if (found && (!newest || found->sequence > newest->sequence)) newest = std::move(found);
  }
  return newest;
}

std::optional<Checkpoint> read_newest(const std::string& path, CheckpointIdentity expected) {
  std::optional<Checkpoint> newest = read_newest(path);
  if (!newest) return newest;
  if (newest->identity.model != expected.model)
    throw ResultError(path, "its checkpoint belongs to another model (or the model was changed since): start afresh");
  if (newest->identity.options != expected.options)
    throw ResultError(path, "its checkpoint belongs to a run with other options: use the same ones or start afresh");
  return newest;
}

void remove_checkpoints(const std::string& path) {
  const std::string result = follow_links(path);
  for (std::size_t k = 0; k < 2; ++k) ::unlink(generation_name(result, k).c_str());
}

}  // namespace mortise::io
