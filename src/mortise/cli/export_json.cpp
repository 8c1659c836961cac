#include "mortise/cli/export_json.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace mortise::cli {

namespace {

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t k = 0; k < line.size(); ++k) {
    if (quoted && line[k] == '"' && k + 1 < line.size() && line[k + 1] == '"')
      cells.back() += line[k++];
    else if (line[k] == '"')
      quoted = !quoted;
    else if (line[k] == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += line[k];
  }
  return cells;
}

nlohmann::json value_of(const std::string& cell) {
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size()) return cell;
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
}

}  // namespace

void JsonTable::line() {
  nlohmann::json row = nlohmann::json::array();
  for (const std::string& cell : cells_of(line_)) row.push_back(lines_ == 0 ? nlohmann::json(cell) : value_of(cell));
  if (lines_ == 0)
    out_ << "{\"columns\": " << row.dump() << ",\n \"rows\": [";
  else
    out_ << (lines_ == 1 ? "\n  " : ",\n  ") << row.dump();
  ++lines_;
  line_.clear();
}

void JsonTable::finish() { out_ << "]}\n" << std::flush; }

int JsonTable::overflow(int c) {
  if (c == '\n')
    line();
  else if (c != traits_type::eof())
    line_ += static_cast<char>(c);
  return out_ ? 0 : traits_type::eof();
}

std::streamsize JsonTable::xsputn(const char* text, std::streamsize size) {
  for (std::streamsize k = 0; k < size; ++k)
    if (overflow(static_cast<unsigned char>(text[k])) == traits_type::eof()) return k;
  return size;
}

}  // namespace mortise::cli
