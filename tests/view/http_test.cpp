// The text of requests and answers: what is understood, what is refused, what every answer carries.
#include "mortise/view/http.h"

#include <gtest/gtest.h>

namespace mortise::test {
namespace {

using view::http::Cut;
using view::http::parse_request;

std::string simple_head(const std::string& line, const std::string& fields = "Host: x\r\n") {
  return line + "\r\n" + fields + "\r\n";
}

TEST(Http, UnderstandsWhatBrowsersSend) {
  const auto p = parse_request(simple_head("GET /token/series/A.reaction.fx?x=1#y HTTP/1.1",
                                           "host: 127.0.0.1:80\r\nORIGIN:http://127.0.0.1:80 \r\nRange: "
                                           "bytes=0-9\r\nConnection: Keep-Alive\r\nAccept: */*\r\n"));
  EXPECT_EQ(p.status, 200);
  EXPECT_EQ(p.request.path, "/token/series/A.reaction.fx");
  EXPECT_EQ(p.request.host, "127.0.0.1:80");
  EXPECT_EQ(p.request.origin, "http://127.0.0.1:80");
  EXPECT_EQ(p.request.range, "bytes=0-9");
  EXPECT_TRUE(p.request.keep);
  EXPECT_FALSE(p.request.head);
  EXPECT_TRUE(parse_request(simple_head("HEAD / HTTP/1.1")).request.head);
  EXPECT_FALSE(parse_request(simple_head("GET / HTTP/1.0")).request.keep);
  EXPECT_FALSE(parse_request(simple_head("GET / HTTP/1.1", "Host: x\r\nConnection: close\r\n")).request.keep);
  EXPECT_EQ(parse_request(simple_head("GET /a%20%3Cscript%3E HTTP/1.1")).request.path, "/a <script>");
}

TEST(Http, RefusesWhatIsNotAPlainRequest) {
  const std::vector<std::pair<std::string, int>> cases{
      {"", 400},
      {"\r\n\r\n", 400},
      {"GET\r\n\r\n", 400},
      {"GET / HTTP/1.1\n\n", 400},
      {"GET / HTTP/1.1\r\nHost: x", 400},
      {simple_head("GET / HTTP/1.1", ""), 400},                        // no Host
      {simple_head("GET / HTTP/1.1", "Host: x\r\nHost: y\r\n"), 400},  // two
      {simple_head("GET / HTTP/1.1", "Host: x\r\nOrigin: a\r\norigin: b\r\n"), 400},
      {simple_head("GET / HTTP/1.1", "Host: x\r\nRange: a\r\nRange: b\r\n"), 400},
      {simple_head("GET / HTTP/1.1", "Host: x\r\n folded: y\r\n"), 400},
      {simple_head("GET / HTTP/1.1", "Host : x\r\n"), 400},
      {simple_head("GET / HTTP/1.1", ": x\r\n"), 400},
      {simple_head("GET / HTTP/1.1", "Host: a\nb\r\n"), 400},
      {simple_head("GET / HTTP/1.1", std::string("Host: a\0b\r\n", 11)), 400},
      {simple_head("GET http://evil/ HTTP/1.1"), 400},
      {simple_head("GET * HTTP/1.1"), 400},
      {simple_head("GET /\xc3\xa4 HTTP/1.1"), 400},
      {simple_head("GET /a b HTTP/1.1"), 400},
      {simple_head("GET /%0a HTTP/1.1"), 400},
      {simple_head("GET /%00 HTTP/1.1"), 400},
      {simple_head("GET /%4 HTTP/1.1"), 400},
      {simple_head("GET /%zz HTTP/1.1"), 400},
      {simple_head("GET / HTTP/2.0"), 505},
      {simple_head("GET / http/1.1"), 400},
      {simple_head("POST / HTTP/1.1"), 405},
      {simple_head("OPTIONS * HTTP/1.1"), 405},
      {simple_head("G\x01T / HTTP/1.1"), 400},
      {simple_head("GET / HTTP/1.1", "Host: x\r\nContent-Length: 1\r\n"), 413},
      {simple_head("GET / HTTP/1.1", "Host: x\r\nTransfer-Encoding: chunked\r\n"), 413},
      {simple_head("GET /" + std::string(5000, 'a') + " HTTP/1.1"), 431},
      {simple_head("GET / HTTP/1.1", "Host: x\r\nA: " + std::string(9000, 'a') + "\r\n"), 431},
  };
  for (const auto& [text, status] : cases) EXPECT_EQ(parse_request(text).status, status) << text;
  std::string many = "Host: x\r\n";
  for (int k = 0; k < 64; ++k) many += "A: b\r\n";
  EXPECT_EQ(parse_request(simple_head("GET / HTTP/1.1", many)).status, 431);
  EXPECT_EQ(parse_request(simple_head("GET / HTTP/1.1", "Host: x\r\nContent-Length: 0\r\n")).status, 200);
}

TEST(Http, CutsRangesByTheBook) {
  const auto expect = [](const char* range, std::uint64_t size, int status, std::uint64_t begin, std::uint64_t end) {
    const Cut c = view::http::cut(std::string(range), size);
    EXPECT_EQ(c.status, status) << range;
    EXPECT_EQ(c.begin, begin) << range;
    EXPECT_EQ(c.end, end) << range;
  };
  EXPECT_EQ(view::http::cut({}, 10).status, 200);
  EXPECT_EQ(view::http::cut({}, 10).end, 10u);
  expect("bytes=0-0", 10, 206, 0, 1);
  expect("bytes=3-5", 10, 206, 3, 6);
  expect("bytes=9-", 10, 206, 9, 10);
  expect("bytes=9-99", 10, 206, 9, 10);
  expect("bytes=-3", 10, 206, 7, 10);
  expect("bytes=-30", 10, 206, 0, 10);
  expect("Bytes=0-18446744073709551615", 10, 206, 0, 10);
  expect("bytes=10-", 10, 416, 0, 0);
  expect("bytes=0-", 0, 416, 0, 0);
  expect("bytes=-0", 10, 416, 0, 0);
  expect("bytes=0-1,3-4", 10, 416, 0, 0);
  expect("bytes=5-3", 10, 400, 0, 0);
  for (const char* wrong : {"", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=1", "lines=0-1", "bytes=+1-2",
                            "bytes=0x1-2", "bytes=0-18446744073709551616", "bytes=1-2-3"})
    expect(wrong, 10, 400, 0, 0);
}

TEST(Http, EveryAnswerCarriesThePolicy) {
  for (const int status : {200, 206, 400, 403, 404, 405, 416, 431, 500}) {
    const std::string head = view::http::answer_head(status, "text/html", 5, true, {{"A", "b"}});
    for (const char* field :
         {"Content-Security-Policy: default-src 'self'; ", "frame-ancestors 'none'", "object-src 'none'",
          "X-Content-Type-Options: nosniff\r\n", "Referrer-Policy: no-referrer\r\n", "Cache-Control: no-store\r\n",
          "Cross-Origin-Resource-Policy: same-origin\r\n", "Content-Length: 5\r\n", "A: b\r\n\r\n"})
      EXPECT_NE(head.find(field), std::string::npos) << field;
    EXPECT_EQ(head.find("unsafe"), std::string::npos);
  }
}

TEST(Http, ComparesSecretsAsAWhole) {
  EXPECT_TRUE(view::http::same_secret("abc", "abc"));
  for (const char* other : {"", "ab", "abcd", "abd", "Abc"}) EXPECT_FALSE(view::http::same_secret("abc", other));
}

}  // namespace
}  // namespace mortise::test
