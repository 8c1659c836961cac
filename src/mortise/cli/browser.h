// A browser without a window, driven through two pipes (Chromium's DevTools protocol): no port is opened, no driver
// program is needed. For pictures of the viewer's page.
//
// Cost: about a second to start, 50 to 200 ms a picture without a graphics card.
#pragma once

#include <memory>
#include <string>

namespace mortise::cli {

class Browser {
 public:
  // Throws OutputError(for_what, …) with the cure when there is no browser, and for all that goes wrong later.
  Browser(std::string for_what, int width, int height);
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  void open(const std::string& url);
  // The value of an expression, once its promise is kept, as JSON text.
  std::string evaluate(const std::string& expression);
  std::string picture();  // PNG

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mortise::cli
