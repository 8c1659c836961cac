// A client for tests of the server: says exactly what it is told, byte by byte if need be.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>

#include "mortise/view/listen.h"
#include "mortise/view/server.h"

namespace mortise::test {

struct Answer {
  int status = 0;  // 0: hung up without one
  std::string head, body;
  std::string field(const std::string& name) const {
    const std::size_t at = head.find("\r\n" + name + ": ");
    if (at == std::string::npos) return "";
    const std::size_t begin = at + name.size() + 4;
    return head.substr(begin, head.find("\r\n", begin) - begin);
  }
};

class WebClient {
 public:
  explicit WebClient(int port, const std::string& address = "127.0.0.1", double patience = 10) {
    const bool six = address.find(':') != std::string::npos;
    sockaddr_in6 to6{};
    sockaddr_in to4{};
    to6.sin6_family = AF_INET6, to6.sin6_port = htons(static_cast<std::uint16_t>(port));
    to4.sin_family = AF_INET, to4.sin_port = to6.sin6_port;
    ::inet_pton(six ? AF_INET6 : AF_INET, address.c_str(),
                six ? static_cast<void*>(&to6.sin6_addr) : static_cast<void*>(&to4.sin_addr));
    socket_ = view::Socket(::socket(six ? AF_INET6 : AF_INET, SOCK_STREAM, 0));
    const timeval limit{static_cast<time_t>(patience), 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    const auto* to = six ? reinterpret_cast<const sockaddr*>(&to6) : reinterpret_cast<const sockaddr*>(&to4);
    connected_ = ::connect(socket_.get(), to, six ? sizeof to6 : sizeof to4) == 0;
  }
  bool connected() const { return connected_; }
  void hang_up() { socket_ = view::Socket(); }
  bool say(const std::string& text) {
    return ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
  }
  // Reads one answer; `headless`: to a HEAD request.
  Answer hear(bool headless = false) {
    Answer answer;
    while (pending_.find("\r\n\r\n") == std::string::npos)
      if (!more()) return answer;
    const std::size_t end = pending_.find("\r\n\r\n") + 4;
    answer.head = pending_.substr(0, end);
    pending_.erase(0, end);
    answer.status = std::stoi(answer.head.substr(9, 3));
    const std::size_t length = headless ? 0 : std::stoul(answer.field("Content-Length"));
    while (pending_.size() < length)
      if (!more()) return Answer{};
    answer.body = pending_.substr(0, length);
    pending_.erase(0, length);
    return answer;
  }
  // True when the server has hung up: nothing more comes.
  bool ended() {
    pending_.clear();
    char byte = 0;
    return ::recv(socket_.get(), &byte, 1, 0) == 0 || errno == ECONNRESET;
  }

 private:
  bool more() {
    char buffer[65536];
    const ssize_t n = ::recv(socket_.get(), buffer, sizeof buffer, 0);
    if (n <= 0) return false;
    pending_.append(buffer, static_cast<std::size_t>(n));
    return true;
  }

  view::Socket socket_;
  bool connected_ = false;
  std::string pending_;
};

// A server on a thread of its own, for as long as this lives.
class Served {
 public:
  explicit Served(view::Lookup lookup, view::ServerOptions options = {})
      : server_(std::move(lookup), std::move(options)), thread_([this] { server_.run(stop_); }) {}
  ~Served() {
    stop_ = 1;
    thread_.join();
  }
  int port() const { return server_.port(); }
  std::string token() const { return server_.token(); }
  std::string url() const { return server_.url(); }
  std::string host() const { return "127.0.0.1:" + std::to_string(port()); }
  // "GET /TOKEN/name" with `more` lines ("Range: bytes=0-1\r\n").
  std::string request(const std::string& name, const std::string& more = "", const std::string& method = "GET") const {
    return method + " /" + token() + "/" + name + " HTTP/1.1\r\nHost: " + host() + "\r\n" + more + "\r\n";
  }
  Answer get(const std::string& name, const std::string& more = "") const { return ask(request(name, more)); }
  Answer ask(const std::string& text, bool headless = false) const {
    WebClient client(port());
    client.say(text);
    return client.hear(headless);
  }

 private:
  std::atomic<int> stop_{0};
  view::Server server_;
  std::thread thread_;
};

}  // namespace mortise::test
