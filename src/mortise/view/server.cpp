#include "mortise/view/server.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <list>
#include <vector>

#include "mortise/view/http.h"
#include "mortise/view/listen.h"

namespace mortise::view {

using Clock = std::chrono::steady_clock;

namespace {

constexpr std::uint64_t piece_bytes = std::uint64_t{1} << 18;
constexpr double farewell_seconds = 1;  // for a client that is hung up on to read why
constexpr int poll_milliseconds = 250;

class TextResource final : public Resource {
 public:
  TextResource(std::string type, std::string text) : type_(std::move(type)), text_(std::move(text)) {}
  std::string type() const override { return type_; }
  std::uint64_t size() override { return text_.size(); }
  std::string read(std::uint64_t offset, std::uint64_t count) override { return text_.substr(offset, count); }

 private:
  std::string type_, text_;
};

Clock::duration duration_of(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

// What a person who meets a refusal should do; fixed texts, so that nothing a client sent comes back.
std::string_view advice(int status) {
  switch (status) {
    case 403:
      return "Open the address that mortise printed, with its token.";
    case 405:
      return "This server answers GET and HEAD.";
    case 416:
      return "One range of bytes within the size, please.";
    default:
      return "";
  }
}

}  // namespace

std::shared_ptr<Resource> text_resource(std::string type, std::string text) {
  return std::make_shared<TextResource>(std::move(type), std::move(text));
}

struct Server::State {
  // Where a connection stands: `farewell` has had its last answer, what it still says is thrown away.
  enum class Stage { request, answer, farewell };

  struct Connection {
    Socket socket;
    Stage stage = Stage::request;
    std::string in, out;  // out: from `sent` on
    std::size_t sent = 0;
    std::shared_ptr<Resource> resource;
    std::uint64_t next = 0, end = 0;  // bytes of it that are not in `out` yet
    bool keep = true;
    Clock::time_point since = Clock::now();  // the stage began, or the last byte went out
  };

  Lookup lookup;
  ServerOptions options;
  Listeners listeners;
  std::string token = random_token();
  std::vector<std::string> hosts;
  std::list<Connection> connections;

  bool allowed(const http::Request& request) const;
  void accept_from(const Socket& listener);
  void make_room();
  void serve(Connection& c, short events);
  void receive(Connection& c);
  void take_requests(Connection& c);
  void answer(Connection& c, const http::Request& request);
  void refuse(Connection& c, int status, bool head, std::vector<std::pair<std::string, std::string>> more = {});
  void send(Connection& c);
  void finish(Connection& c);
  void drop(Connection& c) { c.socket = Socket(); }
  bool late(const Connection& c, Clock::time_point now) const;
  void turn();
};

bool Server::State::allowed(const http::Request& request) const {
  const auto is_ours = [&](const std::string& host) {
    return std::find(hosts.begin(), hosts.end(), host) != hosts.end();
  };
  return is_ours(request.host) && (!request.origin || *request.origin == "http://" + request.host);
}

void Server::State::make_room() {
  const auto longest = std::min_element(connections.begin(), connections.end(),
                                        [](const auto& a, const auto& b) { return a.since < b.since; });
  connections.erase(longest);
}

void Server::State::accept_from(const Socket& listener) {
  for (;;) {
    Socket s(::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!s) return;
    if (connections.size() >= options.connections) make_room();
    connections.emplace_back().socket = std::move(s);
  }
}

void Server::State::refuse(Connection& c, int status, bool head,
                           std::vector<std::pair<std::string, std::string>> more) {
  const std::string text = fmt::format("{} {}. {}\n", status, http::reason(status), advice(status));
  if (status == 405) more.emplace_back("Allow", "GET, HEAD");
  c.keep = c.keep && (status == 404 || status == 416);  // the others are no client of ours
  c.out = http::answer_head(status, "text/plain; charset=utf-8", text.size(), c.keep, more) + (head ? "" : text);
  c.next = c.end = 0;
}

void Server::State::answer(Connection& c, const http::Request& request) {
  c.keep = request.keep;
  // "/TOKEN/name"
  const std::size_t slash = request.path.find('/', 1);
  const std::string_view given =
      std::string_view(request.path).substr(1, slash == std::string::npos ? slash : slash - 1);
  if (!allowed(request) || !http::same_secret(given, token)) return refuse(c, 403, request.head);
  if (slash == std::string::npos) return refuse(c, 404, request.head);
  try {
    c.resource = lookup(request.path.substr(slash + 1));
    if (!c.resource) return refuse(c, 404, request.head);
    const std::uint64_t size = c.resource->size();
    const http::Cut cut = http::cut(request.range, size);
    std::vector<std::pair<std::string, std::string>> more{{"Accept-Ranges", "bytes"}};
    if (cut.status == 416) more.emplace_back("Content-Range", fmt::format("bytes */{}", size));
    if (cut.status >= 400) return refuse(c, cut.status, request.head, std::move(more));
    if (cut.status == 206)
      more.emplace_back("Content-Range", fmt::format("bytes {}-{}/{}", cut.begin, cut.end - 1, size));
    c.next = cut.begin;
    c.end = request.head ? cut.begin : cut.end;
    // The first piece before the head: what cannot be read is told as an error.
    const std::uint64_t first = std::min(c.end - c.next, piece_bytes);
    std::string piece = first ? c.resource->read(c.next, first) : std::string();
    c.next += first;
    c.out = http::answer_head(cut.status, c.resource->type(), cut.end - cut.begin, c.keep, more) + piece;
  } catch (const std::exception& error) {
    if (options.complain) options.complain(error.what());
    refuse(c, 500, request.head);
  }
}

// As many as are there whole and can be answered at once.
void Server::State::take_requests(Connection& c) {
  while (c.socket && c.stage == Stage::request) {
    const std::size_t found = c.in.find("\r\n\r\n"), end = found == std::string::npos ? c.in.size() : found + 4;
    if (found == std::string::npos && end <= http::longest_head) return;  // more to come
    const http::Parsed parsed = http::parse_request(std::string_view(c.in).substr(0, end));
    c.in.erase(0, end);
    c.stage = Stage::answer;
    c.sent = 0;
    if (parsed.status == 200)
      answer(c, parsed.request);
    else
      c.keep = false, refuse(c, parsed.status, parsed.request.head);
    c.since = Clock::now();
    send(c);
  }
}

void Server::State::receive(Connection& c) {
  std::array<char, http::longest_head> buffer;
  const ssize_t n = ::recv(c.socket.get(), buffer.data(), buffer.size(), 0);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) return drop(c);
  if (c.stage == Stage::farewell) return;
  if (c.in.empty()) c.since = Clock::now();  // the time for a head runs from its first byte
  c.in.append(buffer.data(), static_cast<std::size_t>(n));
  take_requests(c);
}

// The answer is out: on to the next request, or goodbye. Closing at once would take the answer back from a client that
// is still sending.
void Server::State::finish(Connection& c) {
  c.out.clear();
  c.resource.reset();
  c.since = Clock::now();
  c.stage = c.keep ? Stage::request : Stage::farewell;
  if (!c.keep) ::shutdown(c.socket.get(), SHUT_WR);
}

void Server::State::send(Connection& c) {
  if (c.sent == c.out.size() && c.next < c.end) {
    const std::uint64_t count = std::min(c.end - c.next, piece_bytes);
    try {
      c.out = c.resource->read(c.next, count);
    } catch (const std::exception& error) {  // the head has promised more: all that is left is to hang up
      if (options.complain) options.complain(error.what());
      return drop(c);
    }
    c.next += count;
    c.sent = 0;
  }
  const ssize_t n = ::send(c.socket.get(), c.out.data() + c.sent, c.out.size() - c.sent, MSG_NOSIGNAL);
  if (n < 0) {
    if (errno != EAGAIN && errno != EINTR) drop(c);
    return;
  }
  c.since = Clock::now();
  c.sent += static_cast<std::size_t>(n);
  if (c.sent == c.out.size() && c.next == c.end) finish(c);
}

void Server::State::serve(Connection& c, short events) {
  if (events & (POLLERR | POLLNVAL)) return drop(c);
  if (c.stage == Stage::answer) {
    if (events & (POLLOUT | POLLHUP)) send(c), take_requests(c);
  } else if (events & (POLLIN | POLLHUP)) {
    receive(c);
  }
}

bool Server::State::late(const Connection& c, Clock::time_point now) const {
  const double patience = c.stage == Stage::answer     ? options.stall_seconds
                          : c.stage == Stage::farewell ? farewell_seconds
                          : c.in.empty()               ? options.idle_seconds
                                                       : options.head_seconds;
  return now - c.since > duration_of(patience);
}

// Waits until something happens, a quarter of a second at most, and does what there is to do.
void Server::State::turn() {
  std::vector<pollfd> polled;
  for (const Socket& l : listeners.sockets) polled.push_back({l.get(), POLLIN, 0});
  for (const Connection& c : connections)
    polled.push_back({c.socket.get(), static_cast<short>(c.stage == Stage::answer ? POLLOUT : POLLIN), 0});
  if (::poll(polled.data(), polled.size(), poll_milliseconds) < 0) return;  // a signal
  // Connections first: accepting may make room among them.
  auto p = polled.begin() + static_cast<std::ptrdiff_t>(listeners.sockets.size());
  for (Connection& c : connections) {
    if (p->revents) serve(c, p->revents);
    ++p;
  }
  const Clock::time_point now = Clock::now();
  connections.remove_if([&](const Connection& c) { return !c.socket || late(c, now); });
  for (std::size_t k = 0; k < listeners.sockets.size(); ++k)
    if (polled[k].revents & POLLIN) accept_from(listeners.sockets[k]);
}

Server::Server(Lookup lookup, ServerOptions options) : state_(std::make_unique<State>()) {
  state_->listeners = listen_on_loopback(options.port);
  state_->lookup = std::move(lookup);
  state_->options = std::move(options);
  for (const char* name : {"127.0.0.1", "localhost", "[::1]"}) {
    state_->hosts.push_back(fmt::format("{}:{}", name, port()));
    if (port() == 80) state_->hosts.emplace_back(name);  // browsers leave this one out
  }
}

Server::~Server() = default;

int Server::port() const { return state_->listeners.port; }
const std::string& Server::token() const { return state_->token; }
std::string Server::url() const { return fmt::format("http://127.0.0.1:{}/{}/", port(), token()); }

void Server::run(const std::atomic<int>& stop) {
  while (stop.load() == 0) state_->turn();
  state_->connections.clear();
}

}  // namespace mortise::view
