// The manual page, written from the parser itself: `mortise --man | man -l -`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace mortise::cli {

std::string man_page(const CLI::App& app);

}  // namespace mortise::cli
