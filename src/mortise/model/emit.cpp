#include "mortise/model/emit.h"

#include <algorithm>
#include <string_view>

namespace mortise::model {

namespace {

// Safe to stand without quotes, in flow style too.
bool is_plain(std::string_view text) {
  if (text.empty()) return false;
  const auto word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '$' || c == '(' || c == ')' || c == '+' || c == '/' || c == '^';
  };
  const auto inner = [&](char c) { return word(c) || c == ' ' || c == '*' || c == '-'; };
  const char first = text[0];
  const bool negative = first == '-' && text.size() > 1 && word(text[1]);
  if (!word(first) && !negative) return false;
  if (!word(text.back())) return false;
  if (!std::all_of(text.begin(), text.end(), inner)) return false;
  if (text.find("  ") != std::string_view::npos || text.starts_with("---") || text.starts_with("...")) return false;
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower != "null";
}

std::string quoted(std::string_view text) {
  static constexpr char hex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (u < 32 || u == 127) {
      out += "\\x";
      out += hex[u >> 4];
      out += hex[u & 15];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string scalar_text(std::string_view text, bool keep_quotes) {
  return keep_quotes || !is_plain(text) ? quoted(text) : std::string(text);
}

void flow(const Node& node, std::string& out) {
  switch (node.kind) {
    case Node::Kind::null:
      out += "~";
      break;
    case Node::Kind::scalar:
      out += scalar_text(node.text, node.quoted);
      break;
    case Node::Kind::list:
      out += "[";
      for (std::size_t k = 0; k < node.items.size(); ++k) {
        if (k) out += ", ";
        flow(node.items[k], out);
      }
      out += "]";
      break;
    case Node::Kind::map:
      out += "{";
      for (std::size_t k = 0; k < node.entries.size(); ++k) {
        if (k) out += ", ";
        out += scalar_text(node.entries[k].key, false) + ": ";
        flow(node.entries[k].value, out);
      }
      out += "}";
      break;
  }
}

void block(const Node& map, int depth, std::string& out) {
  for (const Entry& entry : map.entries) {
    out += std::string(static_cast<std::size_t>(2 * depth), ' ') + scalar_text(entry.key, false) + ":";
    if (depth == 0 && entry.value.kind == Node::Kind::map && !entry.value.entries.empty()) {
      out += "\n";
      block(entry.value, depth + 1, out);
    } else {
      out += " ";
      flow(entry.value, out);
      out += "\n";
    }
  }
}

}  // namespace

std::string emit_yaml(const Node& root) {
  std::string out;
  if (root.kind == Node::Kind::map && !root.entries.empty()) {
    block(root, 0, out);
  } else {
    flow(root, out);
    out += "\n";
  }
  return out;
}

}  // namespace mortise::model
