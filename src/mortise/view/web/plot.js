// A small plot of one quantity over time, of one result or two, with the playhead in it; a click goes to that time.

export class Plot {
  constructor(seek) {
    this.element = document.createElement("figure");
    this.element.className = "plot";
    this.title = document.createElement("figcaption");
    this.canvas = document.createElement("canvas");
    this.element.append(this.title, this.canvas);
    this.curves = [];
    this.canvas.addEventListener("click", (event) => {
      const box = this.canvas.getBoundingClientRect();
      const share = (event.clientX - box.left - this.left) / (box.width - this.left - 14);
      if (this.span) seek(this.span[0] + Math.min(1, Math.max(0, share)) * (this.span[1] - this.span[0]));
    });
    this.left = 52;
  }

  show(title, curves) {
    this.title.textContent = title;
    this.curves = curves;
    const all = curves.flatMap((c) => c.y).filter(Number.isFinite);
    let low = all.reduce((m, y) => Math.min(m, y), Infinity), high = all.reduce((m, y) => Math.max(m, y), -Infinity);
    // Frames have 32 bits a number: what varies by less than that is drawn as a constant.
    const size = Math.max(Math.abs(low), Math.abs(high));
    if (!(high - low > 1e-5 * size)) low -= 5e-3 * size || 1, high += 5e-3 * size || 1;
    this.range = [low - 0.06 * (high - low), high + 0.06 * (high - low)];
    const ends = curves.flatMap((c) => [c.t[0], c.t[c.t.length - 1]]).filter(Number.isFinite);
    this.span = ends.length ? [Math.min(...ends), Math.max(...ends)] : null;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${title} over time`);
  }

  draw(t) {
    const width = this.element.clientWidth, height = 150, ratio = Math.min(devicePixelRatio, 2);
    if (!this.span || width === 0) return;
    const { canvas } = this;
    canvas.width = width * ratio, canvas.height = height * ratio;
    canvas.style.height = height + "px";
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const style = getComputedStyle(this.element);
    const ink = style.getPropertyValue("--muted"), strong = style.getPropertyValue("--accent");
    const [t0, t1] = this.span, [y0, y1] = this.range, bottom = height - 18, right = width - 14;
    const X = (x) => this.left + ((x - t0) / (t1 - t0 || 1)) * (right - this.left);
    const Y = (y) => bottom - ((y - y0) / (y1 - y0)) * (bottom - 6);
    pen.font = "11px system-ui, sans-serif";
    pen.fillStyle = ink;
    pen.strokeStyle = style.getPropertyValue("--line");
    pen.textAlign = "right";
    for (const y of ticks(y0, y1, 6)) {
      pen.fillText(tickText(y, y1 - y0), this.left - 6, Y(y) + 4);
      line(pen, this.left, Y(y), right, Y(y));
    }
    pen.textAlign = "center";
    for (const x of ticks(t0, t1, 5)) pen.fillText(short(x), X(x), height - 4);
    this.curves.forEach((curve, k) => {
      pen.strokeStyle = k === 0 ? strong : "#e08e3c";
      pen.lineWidth = 1.6;
      pen.beginPath();
      let open = false;
      curve.y.forEach((y, i) => {
        if (!Number.isFinite(y)) return void (open = false);
        open ? pen.lineTo(X(curve.t[i]), Y(y)) : pen.moveTo(X(curve.t[i]), Y(y));
        open = true;
      });
      pen.stroke();
    });
    pen.strokeStyle = style.getPropertyValue("--text");
    pen.lineWidth = 1;
    line(pen, X(t), 4, X(t), bottom);
  }
}

function line(pen, x1, y1, x2, y2) {
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
  pen.stroke();
}

function ticks(low, high, about) {
  const rough = (high - low) / about, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough);
  const out = [];
  for (let k = Math.ceil(low / step); k * step <= high; ++k) out.push(k * step);
  return out;
}

// As many digits as tell neighbours apart; a long number keeps its end.
function tickText(y, range) {
  const places = Math.max(0, 1 - Math.floor(Math.log10(range)));
  const text = short(y);
  return text.includes("e") || places <= 2 || Math.abs(y) < 10 * range ? text : y.toFixed(Math.min(places, 6)).slice(0, 9);
}

// Five digits, and no 0.30000000000000004.
export function short(x) {
  if (!Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  return Math.abs(x) < 1e-3 || Math.abs(x) >= 1e5 ? x.toExponential(3).replace(/\.?0+e/, "e") : String(Number(x.toPrecision(5)));
}
