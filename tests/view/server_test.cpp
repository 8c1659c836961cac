// The viewer's server: who gets an answer, what it holds, and that nobody can make it hang.
#include "mortise/view/server.h"

#include <gtest/gtest.h>
#include <ifaddrs.h>
#include <net/if.h>

#include <random>

#include "mortise/error.h"
#include "view/web_client.h"

namespace mortise::test {
namespace {

constexpr std::uint64_t big = 5'000'000;

// Bytes that tell their own place.
char byte_at(std::uint64_t k) { return static_cast<char>((k * 2654435761u) >> 13); }

class Counting final : public view::Resource {
 public:
  std::string type() const override { return "application/octet-stream"; }
  std::uint64_t size() override { return big; }
  std::string read(std::uint64_t offset, std::uint64_t count) override {
    std::string bytes;
    for (std::uint64_t k = offset; k < offset + count; ++k) bytes += byte_at(k);
    return bytes;
  }
};

// More than the system takes in for a client that does not read.
class Huge final : public view::Resource {
 public:
  std::string type() const override { return "application/octet-stream"; }
  std::uint64_t size() override { return std::uint64_t{1} << 30; }
  std::string read(std::uint64_t, std::uint64_t count) override { return std::string(count, 'x'); }
};

class Broken final : public view::Resource {
 public:
  explicit Broken(std::uint64_t from) : from_(from) {}
  std::string type() const override { return "application/octet-stream"; }
  std::uint64_t size() override { return big; }
  std::string read(std::uint64_t offset, std::uint64_t count) override {
    if (offset >= from_) throw ResultError("out.h5", "is damaged");
    return std::string(count, 'x');
  }

 private:
  std::uint64_t from_;
};

std::shared_ptr<view::Resource> table(const std::string& name) {
  if (name.empty()) return view::text_resource("text/html; charset=utf-8", "<!doctype html>page");
  if (name == "series/<script>") return view::text_resource("application/json", "[1]");
  if (name == "empty") return view::text_resource("text/plain", "");
  if (name == "frames.bin") return std::make_shared<Counting>();
  if (name == "huge") return std::make_shared<Huge>();
  if (name == "broken") return std::make_shared<Broken>(0);
  if (name == "breaks") return std::make_shared<Broken>(1'000'000);
  return nullptr;
}

TEST(Server, AnswersWhoKnowsTheToken) {
  const Served s(table);
  EXPECT_EQ(s.token().size(), 32u);
  EXPECT_EQ(s.url(), "http://127.0.0.1:" + std::to_string(s.port()) + "/" + s.token() + "/");
  const Answer page = s.get("");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.body, "<!doctype html>page");
  EXPECT_EQ(page.field("Content-Type"), "text/html; charset=utf-8");
  const Answer head = s.ask(s.request("", "", "HEAD"), true);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.field("Content-Length"), std::to_string(page.body.size()));
  EXPECT_EQ(s.get("empty").body, "");
  EXPECT_EQ(s.get("series/%3Cscript%3E").status, 200);
  EXPECT_EQ(s.get("nothing").status, 404);
  // Another server, another token.
  EXPECT_NE(s.token(), Served(table).token());
}

TEST(Server, RefusesAWrongToken) {
  const Served s(table);
  std::string near = s.token();
  near.back() = near.back() == '0' ? '1' : '0';
  for (const std::string& path :
       {std::string("/"), std::string("//"), "/" + near + "/", "/" + s.token().substr(1) + "/", "/" + s.token() + "0/",
        "/x/" + s.token() + "/", "//" + s.token() + "/"}) {
    const Answer a = s.ask("GET " + path + " HTTP/1.1\r\nHost: " + s.host() + "\r\n\r\n");
    EXPECT_EQ(a.status, 403) << path;
    EXPECT_EQ(a.body.find(s.token()), std::string::npos) << path;
  }
  EXPECT_EQ(s.ask("GET /" + s.token() + " HTTP/1.1\r\nHost: " + s.host() + "\r\n\r\n").status, 404);
}

TEST(Server, RefusesAnotherHostOrOrigin) {
  const Served s(table);
  const std::string port = ":" + std::to_string(s.port());
  const auto ask = [&](const std::string& host, const std::string& more) {
    return s.ask("GET /" + s.token() + "/ HTTP/1.1\r\nHost: " + host + "\r\n" + more + "\r\n").status;
  };
  for (const char* name : {"127.0.0.1", "localhost", "[::1]"}) {
    EXPECT_EQ(ask(name + port, ""), 200);
    EXPECT_EQ(ask(name + port, "Origin: http://" + (name + port) + "\r\n"), 200);
  }
  for (const std::string& host : {std::string("127.0.0.1"), std::string("localhost:1"), "evil.example" + port,
                                  "0.0.0.0" + port, "127.0.0.2" + port, "localhost.evil.example" + port,
                                  "127.0.0.1" + port + "0", "user@127.0.0.1" + port, std::string()})
    EXPECT_EQ(ask(host, ""), 403) << host;
  for (const std::string& origin : {std::string("null"), std::string("http://evil.example"), "https://127.0.0.1" + port,
                                    std::string("http://127.0.0.1"), "http://localhost" + port,
                                    "http://127.0.0.1" + port + ".evil.example", std::string("file://"), std::string()})
    EXPECT_EQ(ask("127.0.0.1" + port, "Origin: " + origin + "\r\n"), 403) << origin;
}

TEST(Server, RefusesEverythingButGetAndHead) {
  const Served s(table);
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "CONNECT", "get"}) {
    const Answer a = s.ask(s.request("", "", method));
    EXPECT_EQ(a.status, 405) << method;
    EXPECT_EQ(a.field("Allow"), "GET, HEAD");
  }
  // A body is read by nobody, and the refusal reaches who sends one.
  WebClient client(s.port());
  client.say(s.request("", "Content-Length: 100000\r\n", "POST") + std::string(100000, 'x'));
  EXPECT_EQ(client.hear().status, 405);
  EXPECT_EQ(s.get("", "Content-Length: 5\r\n").status, 413);
}

// Every way to climb out of a folder that we could think of, 1,000 of them.
TEST(Server, RefusesAThousandTraversals) {
  const Served s(table);
  const std::vector<std::string> ups{"../",      "..%2f",       "%2e%2e/",         "%2e%2e%2f", "..\\",
                                     "..%5c",    "....//",      "%252e%252e%252f", "..;/",      "%c0%ae%c0%ae/",
                                     "./../",    "/../",        "..%00/",          "%2e./",     ".%2e/",
                                     "..%c0%af", "..%ef%bc%8f", "%uff0e%uff0e/",   "..%09/",    "series/../../"};
  const std::vector<std::string> files{"etc/passwd",         "etc%2fpasswd", "proc/self/environ", "root/.ssh/id_rsa",
                                       "windows%5cwin.ini",  "out.h5",       "index.html",        ".git/config",
                                       "etc/passwd%00.html", "dev/zero"};
  std::vector<std::string> targets;
  for (const std::string& up : ups)
    for (const std::string& file : files)
      for (const int depth : {1, 2, 3, 5, 8}) {
        std::string climb;
        for (int k = 0; k < depth; ++k) climb += up;
        targets.push_back(climb + file);
      }
  ASSERT_EQ(targets.size(), 1000u);
  for (const std::string& target : targets) {
    const Answer a = s.get(target);
    EXPECT_TRUE(a.status == 404 || a.status == 400) << target << ": " << a.status;
    EXPECT_LT(a.body.size(), 100u) << target;
    EXPECT_EQ(a.body.find("root:"), std::string::npos) << target;
    // Without the token, too; and what a client says does not come back.
    const Answer bare = s.ask("GET /" + target + " HTTP/1.1\r\nHost: " + s.host() + "\r\n\r\n");
    EXPECT_TRUE(bare.status == 403 || bare.status == 400) << target << ": " << bare.status;
    EXPECT_EQ(bare.body.find("passwd"), std::string::npos);
  }
}

TEST(Server, ReflectsNothing) {
  const Served s(table);
  const std::string script = "<script>alert(1)</script>";
  for (const std::string& text :
       {s.request("%3Cscript%3Ealert(1)%3C/script%3E"), s.request("<script>alert(1)</script>"),
        s.request("", "Origin: " + script + "\r\n"), s.request("", "Range: " + script + "\r\n"),
        s.request("", "", "<SCRIPT>"), script + "\r\n\r\n"}) {
    const Answer a = s.ask(text);
    EXPECT_GE(a.status, 400) << text;
    EXPECT_EQ(a.body.find('<'), std::string::npos) << a.body;
    EXPECT_EQ(a.head.find('<'), std::string::npos) << a.head;
    EXPECT_EQ(a.field("Content-Type"), "text/plain; charset=utf-8");
    EXPECT_EQ(a.field("X-Content-Type-Options"), "nosniff");
  }
}

TEST(Server, CutsRanges) {
  const Served s(table);
  struct Case {
    std::string range;
    std::uint64_t begin, end;
  };
  for (const Case& c : {Case{"0-0", 0, 1},
                        {"0-99", 0, 100},
                        {"262140-262150", 262140, 262151},
                        {"1000000-2999999", 1000000, 3000000},
                        {"4999999-", big - 1, big},
                        {"-10", big - 10, big},
                        {"4999990-9999999", big - 10, big}}) {
    const Answer a = s.get("frames.bin", "Range: bytes=" + c.range + "\r\n");
    EXPECT_EQ(a.status, 206) << c.range;
    EXPECT_EQ(a.field("Content-Range"),
              "bytes " + std::to_string(c.begin) + "-" + std::to_string(c.end - 1) + "/" + std::to_string(big));
    EXPECT_EQ(a.body, Counting().read(c.begin, c.end - c.begin)) << c.range;
  }
  for (const char* range : {"5000000-", "9999999-", "-0", "0-1,5-6"}) {
    const Answer a = s.get("frames.bin", std::string("Range: bytes=") + range + "\r\n");
    EXPECT_EQ(a.status, 416) << range;
    EXPECT_EQ(a.field("Content-Range"), "bytes */5000000") << range;
  }
  EXPECT_EQ(s.get("frames.bin", "Range: bytes=9-3\r\n").status, 400);
  EXPECT_EQ(s.get("empty", "Range: bytes=0-\r\n").status, 416);
  const Answer whole = s.get("frames.bin");
  EXPECT_EQ(whole.status, 200);
  EXPECT_EQ(whole.body, Counting().read(0, big));
  const Answer head = s.ask(s.request("frames.bin", "Range: bytes=5-9\r\n", "HEAD"), true);
  EXPECT_EQ(head.status, 206);
  EXPECT_EQ(head.field("Content-Length"), "5");
}

TEST(Server, AnswersManyRequestsOnOneConnection) {
  const Served s(table);
  WebClient client(s.port());
  std::string all;
  for (int k = 0; k < 100; ++k) all += s.request("frames.bin", "Range: bytes=" + std::to_string(k) + "-999\r\n");
  client.say(all);
  for (std::uint64_t k = 0; k < 100; ++k) EXPECT_EQ(client.hear().body, Counting().read(k, 1000 - k));
  client.say(s.request("", "Connection: close\r\n"));
  EXPECT_EQ(client.hear().status, 200);
  EXPECT_TRUE(client.ended());
}

// Only the loopback addresses listen: not the next one, not those of the network.
TEST(Server, CannotBeReachedFromAnotherAddress) {
  const Served s(table);
  EXPECT_TRUE(WebClient(s.port(), "127.0.0.1").connected());
  EXPECT_FALSE(WebClient(s.port(), "127.0.0.2", 2).connected());
  EXPECT_FALSE(WebClient(s.port(), "::ffff:127.0.0.2", 2).connected());
  int others = 0;
  ifaddrs* all = nullptr;
  ASSERT_EQ(::getifaddrs(&all), 0);
  for (const ifaddrs* a = all; a; a = a->ifa_next) {
    if (!a->ifa_addr || (a->ifa_flags & IFF_LOOPBACK)) continue;
    char text[INET6_ADDRSTRLEN] = "";
    if (a->ifa_addr->sa_family == AF_INET)
      ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(a->ifa_addr)->sin_addr, text, sizeof text);
    else
      continue;
    ++others;
    EXPECT_FALSE(WebClient(s.port(), text, 2).connected()) << text;
  }
  ::freeifaddrs(all);
  std::printf("%d addresses of other interfaces tried\n", others);
  // IPv6, where this machine has it.
  WebClient six(s.port(), "::1");
  if (six.connected()) {
    six.say("GET /" + s.token() + "/ HTTP/1.1\r\nHost: [::1]:" + std::to_string(s.port()) + "\r\n\r\n");
    EXPECT_EQ(six.hear().status, 200);
  }
}

TEST(Server, OwnsItsPort) {
  const Served s(table);
  view::ServerOptions same;
  same.port = s.port();
  try {
    view::Server second(table, same);
    FAIL() << "two servers on one port";
  } catch (const OutputError& error) {
    EXPECT_NE(std::string(error.what()).find("is taken by another program; take another"), std::string::npos);
  }
}

TEST(Server, SurvivesSlowAndBrokenClients) {
  view::ServerOptions options;
  options.head_seconds = 0.3, options.idle_seconds = 0.6, options.stall_seconds = 0.3, options.connections = 16;
  const Served s(table, options);
  const auto well = [&] { return s.get("").status == 200; };
  // More silent, half-spoken and unread connections than there are places.
  std::vector<std::unique_ptr<WebClient>> clients;
  for (int k = 0; k < 40; ++k) {
    clients.push_back(std::make_unique<WebClient>(s.port()));
    if (k % 4 == 1) clients.back()->say("GET /" + s.token() + "/ HT");
    if (k % 4 == 2) clients.back()->say(s.request("huge"));
    if (k % 4 == 3) clients.back()->say(std::string(7000, 'x'));
    EXPECT_TRUE(well()) << k;
  }
  for (const auto& client : clients) client->hang_up();
  EXPECT_TRUE(well());
  // Time limits: a head that never ends, byte by byte; an answer that nobody takes; silence.
  WebClient slow(s.port()), deaf(s.port()), silent(s.port());
  deaf.say(s.request("huge"));
  bool heard = true;
  for (int k = 0; k < 40 && heard; ++k) {
    heard = slow.say("G");
    std::this_thread::sleep_for(std::chrono::milliseconds(25));
    EXPECT_TRUE(well());
  }
  EXPECT_TRUE(slow.ended());
  EXPECT_EQ(deaf.hear().status, 0);  // cut off before its end
  EXPECT_TRUE(silent.ended());
  // Heads that are too large, and noise.
  EXPECT_EQ(s.ask(std::string(9000, 'x')).status, 431);
  std::mt19937 random(7);
  for (int k = 0; k < 200; ++k) {
    std::string noise;
    for (int n = 0; n < 100; ++n) noise += static_cast<char>(random());
    const Answer a = s.ask(noise + "\r\n\r\n");
    EXPECT_GE(a.status, 400);
  }
  EXPECT_TRUE(well());
}

TEST(Server, TellsWhatCannotBeRead) {
  std::string complaint;
  view::ServerOptions options;
  options.complain = [&](const std::string& text) { complaint = text; };
  {
    const Served s(table, options);
    const Answer a = s.get("broken");
    EXPECT_EQ(a.status, 500);
    EXPECT_EQ(a.body.find("out.h5"), std::string::npos);
    EXPECT_EQ(s.get("breaks").status, 0);  // hung up in the middle: too few bytes, never wrong ones
    EXPECT_EQ(s.get("breaks", "Range: bytes=0-99\r\n").status, 206);
    EXPECT_EQ(s.get("").status, 200);
  }
  EXPECT_EQ(complaint, "out.h5: is damaged");
}

}  // namespace
}  // namespace mortise::test
