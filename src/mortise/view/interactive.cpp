#include "mortise/view/interactive.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace mortise::view {

namespace {

// Base64 of SHA-256 of the two texts below; packaging.policy prints them when they change.
constexpr const char* style_hash = "/GOq2hU7rJVtOGcdllJX4JOOoACiDxoTHfExWZKZM0k=";
constexpr const char* script_hash = "2lS/j7kmsWv606ABa+KW1hChA6Vxs3ojsqLkGRLz6jw=";

constexpr const char* style = R"css(
body { margin: 0; background: #fff; font: 13px system-ui, sans-serif; }
svg { display: block; max-width: 100%; height: auto; }
main:focus { outline: none; }
#values { position: fixed; pointer-events: none; background: #fffffff0; border: 1px solid #aab; border-radius: 4px;
  padding: 5px 8px; white-space: pre; font: 12px ui-monospace, monospace; line-height: 1.45; }
#values:empty { display: none; }
)css";

constexpr const char* script = R"js(
'use strict';
const panels = JSON.parse(document.getElementById('readings').textContent);
const svg = document.querySelector('svg'), box = document.getElementById('values');
const make = (tag, attributes) => {
  const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  return e;
};
const marks = svg.appendChild(make('g', { id: 'crosshair', 'pointer-events': 'none' }));
const pixel = (s, v) => v === null || (s.log && !(v > 0)) ? NaN : s.at + s.per * (s.log ? Math.log10(v) : v);
const text = (v) => v === null ? 'not finite' : String(Number(v.toPrecision(9)));
let at = null;  // panel, and the sample of its first series

const nearest = (panel, series, x, y) => {
  let best = -1, least = Infinity;
  for (let k = 0; k < series.x.length; ++k) {
    const dx = pixel(panel.x, series.x[k]) - x, dy = panel.curve ? pixel(panel.y, series.y[k]) - y : 0;
    const d = dx * dx + dy * dy;
    if (d < least) { least = d; best = k; }
  }
  return best;
};

const show = () => {
  marks.replaceChildren();
  box.textContent = '';
  if (!at) return;
  const { panel, k } = at, a = panel.area, lead = panel.series[at.series];
  const x = pixel(panel.x, lead.x[k]), y = pixel(panel.y, lead.y[k]);
  const line = { stroke: '#445', 'stroke-width': 1, 'stroke-dasharray': '3 2' };
  marks.append(make('line', { x1: x, x2: x, y1: a[1], y2: a[1] + a[3], ...line }));
  if (panel.curve && !isNaN(y)) marks.append(make('line', { x1: a[0], x2: a[0] + a[2], y1: y, y2: y, ...line }));
  const lines = [`${panel.x_name} = ${text(lead.x[k])} ${panel.x_unit}`];
  for (const s of panel.curve ? [lead] : panel.series) {
    const i = s === lead ? k : nearest(panel, s, x, 0);
    const px = pixel(panel.x, s.x[i]), py = pixel(panel.y, s.y[i]);
    if (!isNaN(py)) marks.append(make('circle', { cx: px, cy: py, r: 4, fill: s.color, stroke: '#fff' }));
    const own = s.x[i] === lead.x[k] ? '' : `  at ${text(s.x[i])} ${panel.x_unit}`;
    lines.push(`${s.name} = ${text(s.y[i])} ${panel.y_unit}${own}`);
  }
  box.textContent = lines.join('\n');
  const p = new DOMPoint(x, isNaN(y) ? a[1] : y).matrixTransform(svg.getScreenCTM());
  const r = box.getBoundingClientRect();
  box.style.left = Math.max(0, p.x + 14 + r.width > innerWidth ? p.x - 14 - r.width : p.x + 14) + 'px';
  box.style.top = Math.max(0, Math.min(p.y + 14, innerHeight - r.height)) + 'px';
};

svg.addEventListener('pointermove', (event) => {
  const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  at = null;
  for (const panel of panels) {
    const a = panel.area;
    if (p.x < a[0] || p.x > a[0] + a[2] || p.y < a[1] || p.y > a[1] + a[3]) continue;
    let least = Infinity;
    panel.series.forEach((s, series) => {
      const k = nearest(panel, s, p.x, p.y);
      const d = k < 0 ? Infinity : Math.hypot(pixel(panel.x, s.x[k]) - p.x, pixel(panel.y, s.y[k]) - p.y);
      if (k >= 0 && (!at || d < least)) { least = d; at = { panel, series, k }; }
    });
  }
  show();
});
svg.addEventListener('pointerleave', () => { at = null; show(); });
addEventListener('keydown', (event) => {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!by) return;
  if (!at && panels.length) at = { panel: panels[0], series: 0, k: by > 0 ? -1 : panels[0].series[0].x.length };
  if (at) at.k = Math.max(0, Math.min(at.k + by, at.panel.series[at.series].x.length - 1));
  event.preventDefault();
  show();
});
)js";

using Json = nlohmann::ordered_json;

Json scale(const Reading::Scale& s) { return {{"at", s.at}, {"per", s.per}, {"log", s.log}}; }

Json as_json(const Reading& r) {
  Json out{{"area", {r.area.x, r.area.y, r.area.width, r.area.height}},
           {"x", scale(r.x)},
           {"y", scale(r.y)},
           {"x_name", r.x_name},
           {"x_unit", r.x_unit},
           {"y_unit", r.y_unit},
           {"curve", r.curve}};
  for (const Series& s : r.series)
    if (!s.x.empty()) out["series"].push_back({{"name", s.name}, {"color", s.color}, {"x", s.x}, {"y", s.y}});
  return out;
}

}  // namespace

std::string html_page(const std::string& title, const std::string& svg, const Readings& readings) {
  Json data = Json::array();
  for (const Reading& r : readings)
    if (Json panel = as_json(r); panel.contains("series")) data.push_back(std::move(panel));
  // Names are those of a stranger's model: bytes that are not UTF-8 are replaced, and nothing may end the element.
  std::string json = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (std::size_t at = 0; (at = json.find('<', at)) != std::string::npos; at += 6) json.replace(at, 1, "\\u003c");
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; form-action 'none'; "
      "script-src 'sha256-{}'; style-src 'sha256-{}'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n<style>{}</style>\n"
      "</head>\n<body>\n<main>\n{}</main>\n<div id=\"values\" role=\"status\"></div>\n"
      "<script type=\"application/json\" id=\"readings\">{}</script>\n<script>{}</script>\n</body>\n</html>\n",
      script_hash, style_hash, escape(title), style, svg, json, script);
}

}  // namespace mortise::view
