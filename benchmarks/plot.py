"""Double-logarithmic plots as SVG, with the standard library only."""
import json
import math
from xml.sax.saxutils import escape

# Colours that people with any colour vision tell apart (Okabe and Ito 2008), without the yellow that white swallows.
PALETTE = ('#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#222222')
DASHES = ('', '6 3', '2 3')


def decades(values):
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def log_log(title, x_name, y_name, series, guide=None):
    """`series`: (name, [(x, y)]). Values that are not above zero are left out. `guide`: slope of a dashed line."""
    series = [(name, [(x, y) for x, y in points if x > 0 and y > 0]) for name, points in series]
    everything = [point for _, points in series for point in points] or [(1, 1)]
    x0, x1 = decades([x for x, _ in everything])
    y0, y1 = decades([y for _, y in everything])
    left, top, width, height, legend = 70, 36, 470, 330, 190

    def at(x, y):
        return (left + (math.log10(x) - x0) / (x1 - x0) * width, top + (y1 - math.log10(y)) / (y1 - y0) * height)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + legend} {top + height + 50}" '
           'font-family="sans-serif" font-size="12" fill="#222">',
           '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="{left}" y="20" font-size="14">{escape(title)}</text>']
    for k in range(x0, x1 + 1):
        x = at(10.0**k, 10.0**y0)[0]
        out.append(f'<path d="M{x:.1f} {top}v{height}" stroke="#ddd"/>'
                   f'<text x="{x:.1f}" y="{top + height + 16}" text-anchor="middle">1e{k}</text>')
    for k in range(y0, y1 + 1):
        y = at(10.0**x0, 10.0**k)[1]
        out.append(f'<path d="M{left} {y:.1f}h{width}" stroke="#ddd"/>'
                   f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">1e{k}</text>')
    out.append(f'<text x="{left + width / 2}" y="{top + height + 38}" text-anchor="middle">{escape(x_name)}</text>'
               f'<text transform="translate(16 {top + height / 2}) rotate(-90)" text-anchor="middle">{escape(y_name)}'
               '</text>')
    if guide is not None:
        start = (10.0**x0, 10.0**y0)
        reach = min(x1 - x0, (y1 - y0) / guide)
        (xa, ya), (xb, yb) = at(*start), at(10.0**(x0 + reach), 10.0**(y0 + guide * reach))
        out.append(f'<path d="M{xa:.1f} {ya:.1f}L{xb:.1f} {yb:.1f}" stroke="#889" stroke-dasharray="4 4"/>')
    for k, (name, points) in enumerate(series):
        colour, dash = PALETTE[k % len(PALETTE)], DASHES[k // len(PALETTE) % len(DASHES)]
        pixels = [at(x, y) for x, y in points]
        path = 'L'.join(f'{x:.1f} {y:.1f}' for x, y in pixels)
        if path:
            out.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.5" '
                       f'stroke-dasharray="{dash}"/>')
        out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>' for x, y in pixels]
        y = top + 8 + 17 * k
        out.append(f'<path d="M{left + width + 12} {y}h18" stroke="{colour}" stroke-width="2" '
                   f'stroke-dasharray="{dash}"/><text x="{left + width + 36}" y="{y + 4}">{escape(name)}</text>')
    return '\n'.join(out) + '\n</svg>\n'


def write_figure(path, title, x_name, y_name, series, guide=None):
    """The picture, and beside it (.json) the numbers in the form that `mortise plot` draws."""
    path.write_text(log_log(title, x_name, y_name, series, guide))
    chart = {'kind': 'chart', 'title': title, 'x': x_name, 'y': y_name,
             'series': [{'name': name, 'points': points} for name, points in series]}
    path.with_suffix('.json').write_text(json.dumps(chart, indent=1) + '\n')
