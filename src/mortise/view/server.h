// A small web server for one user on one machine: what `mortise view` shows, and nothing else.
//
// It listens on the loopback addresses 127.0.0.1 and ::1 only; there is no option for another. Who wants an answer must
// know the token, 128 random bits that are the first part of every path, and must have named this server as Host and,
// if at all, as Origin: another page in the same browser fails on all three. It answers GET and HEAD, from a table of
// resources that the caller gives; no path ever reaches the file system.
//
// One thread, one loop over non-blocking sockets, at most 64 connections with a piece of 256 KiB each: a slow client
// waits for itself alone. A head must be complete within `head_seconds`, a client that takes nothing for
// `stall_seconds` is hung up on, and when all places are taken, the one that has been silent longest makes room.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace mortise::view {

// Something that can be asked for by name, all or a range of its bytes.
class Resource {
 public:
  virtual ~Resource() = default;
  virtual std::string type() const = 0;  // "application/json"
  virtual std::uint64_t size() = 0;      // now; of a run that goes on it may grow, never shrink
  // Bytes [offset, offset + count), which lie within a size that was told before.
  virtual std::string read(std::uint64_t offset, std::uint64_t count) = 0;
};

// A resource that is a text.
std::shared_ptr<Resource> text_resource(std::string type, std::string text);

// nullptr for a name that does not exist. Names are relative: "index.html", "data/0/frames.bin"; "" is the page.
using Lookup = std::function<std::shared_ptr<Resource>(const std::string& name)>;

struct ServerOptions {
  int port = 0;  // 0: any that is free
  double head_seconds = 10, idle_seconds = 60, stall_seconds = 30;
  std::size_t connections = 64;
  std::function<void(const std::string&)> complain;  // what went wrong with a resource, for whoever runs the server
};

class Server {
 public:
  // Listens from here on. Throws OutputError when the port is taken or may not be used.
  explicit Server(Lookup lookup, ServerOptions options = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const;
  const std::string& token() const;
  std::string url() const;  // http://127.0.0.1:PORT/TOKEN/
  // Serves until `stop` is not 0; looks at it four times a second and after every signal.
  void run(const std::atomic<int>& stop);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mortise::view
