#include "mortise/view/listen.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "mortise/error.h"

namespace mortise::view {

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Socket::~Socket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

int Socket::release() { return std::exchange(descriptor_, -1); }

namespace {

constexpr int backlog = 64;

// The name of a server for messages; OutputError wants one.
std::string place(int port) { return port ? fmt::format("port {}", port) : std::string("the viewer's port"); }

sockaddr_in loopback4(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

sockaddr_in6 loopback6(int port) {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(static_cast<std::uint16_t>(port));
  address.sin6_addr = in6addr_loopback;
  return address;
}

// A listening socket; without one, `errno` says why.
template <class Address>
Socket listener(int family, const Address& address, bool reuse) {
  Socket s(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!s) return s;
  const int on = 1;
  if (family == AF_INET6) ::setsockopt(s.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  // A port that the user named may still have connections of the viewer before in their last minute.
  if (reuse) ::setsockopt(s.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(s.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(s.get(), backlog) != 0) {
    const int why = errno;
    s = Socket();
    errno = why;
  }
  return s;
}

int port_of(const Socket& s) {
  sockaddr_in address{};
  socklen_t length = sizeof address;
  ::getsockname(s.get(), reinterpret_cast<sockaddr*>(&address), &length);
  return ntohs(address.sin_port);
}

[[noreturn]] void refuse_port(int port, int why) {
  if (why == EADDRINUSE)
    throw OutputError(place(port), "is taken by another program; take another, or leave --port out for a free one");
  if (why == EACCES) throw OutputError(place(port), "is reserved for the system; take one above 1023");
  throw OutputError(place(port), fmt::format("cannot be listened on: {}", std::strerror(why)));
}

}  // namespace

Listeners listen_on_loopback(int port) {
  constexpr int attempts = 20;  // a port that is free for IPv4 may be taken for IPv6
  for (int attempt = 1;; ++attempt) {
    Listeners all;
    Socket four = listener(AF_INET, loopback4(port), port != 0);
    if (!four) refuse_port(port, errno);
    all.port = port_of(four);
    Socket six = listener(AF_INET6, loopback6(all.port), port != 0);
    if (!six && errno == EADDRINUSE) {
      if (port != 0 || attempt == attempts) refuse_port(all.port, EADDRINUSE);
      continue;
    }
    all.sockets.push_back(std::move(four));
    if (six) all.sockets.push_back(std::move(six));  // machines without IPv6 do without
    return all;
  }
}

std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  for (std::size_t got = 0; got < bytes.size();) {
    const ssize_t n = ::getrandom(bytes.data() + got, bytes.size() - got, 0);
    if (n < 0 && errno != EINTR) throw OutputError("the viewer's token", std::strerror(errno));
    if (n > 0) got += static_cast<std::size_t>(n);
  }
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

}  // namespace mortise::view
