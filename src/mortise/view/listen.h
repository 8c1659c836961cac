// Sockets that listen on this machine's loopback addresses, both on one port.
#pragma once

#include <string>
#include <vector>

namespace mortise::view {

// A file descriptor that closes itself.
class Socket {
 public:
  explicit Socket(int descriptor = -1) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(other.release()) {}
  Socket& operator=(Socket&& other) noexcept;
  ~Socket();
  int get() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }
  int release();

 private:
  int descriptor_;
};

struct Listeners {
  int port = 0;
  std::vector<Socket> sockets;  // 127.0.0.1, and ::1 where this machine has it; non-blocking
};

// Port 0: any that is free on both. Throws OutputError.
Listeners listen_on_loopback(int port);

// 32 hexadecimal digits from the system's generator.
std::string random_token();

}  // namespace mortise::view
