// Where the data of a result comes from: blocks inside the page (a file from disk), or the server. Both give the same
// object: scene, times, frames(first, count), series(name), and for a run that goes on refresh().

function bytesOf(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; ++k) bytes[k] = raw.charCodeAt(k);
  return bytes;
}

function block(id) {
  return document.getElementById(id);
}

class EmbeddedSource {
  constructor(entry) {
    this.label = entry.label;
    this.path = entry.path;
    this.framesPerBlock = entry.block;
    this.scene = JSON.parse(block(this.path + "scene.json").textContent);
    this.times = new Float64Array(bytesOf(block(this.path + "times.bin").textContent).buffer);
    this.served = false;
  }

  // The frames of one block: the blocks are what can be decoded at a time.
  async frames(first) {
    return new Float32Array(bytesOf(block(`${this.path}frames/${first / this.framesPerBlock}`).textContent).buffer);
  }
}

async function fetched(url, options) {
  const answer = await fetch(url, options).catch(() => {
    throw new Error("Mortise no longer answers: start 'mortise view' again and open the address that it prints");
  });
  if (!answer.ok) throw new Error(`${url}: the server answers ${answer.status}`);
  return answer;
}

class ServedSource {
  constructor(entry) {
    this.label = entry.label;
    this.path = entry.path;
    this.served = true;
  }

  async open() {
    this.scene = await (await fetched(this.path + "scene.json")).json();
    this.times = new Float64Array(await (await fetched(this.path + "times.bin")).arrayBuffer());
    const bytes = this.scene.frames.bytes;
    this.framesPerBlock = Math.max(1, Math.floor(1e6 / bytes));
    return this;
  }

  async range(url, begin, end) {
    const answer = await fetched(url, { headers: { Range: `bytes=${begin}-${end - 1}` } });
    if (answer.status !== 206) throw new Error(`${url}: the server does not know byte ranges`);
    return answer.arrayBuffer();
  }

  async frames(first, count) {
    const bytes = this.scene.frames.bytes;
    return new Float32Array(await this.range(this.path + "frames.bin", first * bytes, (first + count) * bytes));
  }

  // A quantity over time, from a frame on to the last that is known.
  async series(name, first = 0) {
    if (first >= this.times.length) return new Float64Array(0);
    const url = this.path + "series/" + encodeURIComponent(name);
    return new Float64Array(await this.range(url, 8 * first, 8 * this.times.length));
  }

  // Of a run that goes on: the times of the frames that came since; of a fast one some of them at a time, so that the
  // page stays awake, and `behind` says that there are more.
  async refresh() {
    const status = await (await fetched(this.path + "status.json")).json();
    const known = this.times.length, upTo = Math.min(status.frames, known + 20000);
    status.behind = upTo < status.frames;
    if (upTo > known) {
      const more = new Float64Array(await this.range(this.path + "times.bin", 8 * known, 8 * upTo));
      const all = new Float64Array(known + more.length);
      all.set(this.times);
      all.set(more, known);
      this.times = all;
    }
    return status;
  }
}

export async function openResults() {
  const inside = block("results.json");
  if (inside) {
    const index = JSON.parse(inside.textContent);
    return { live: false, sources: index.results.map((entry) => new EmbeddedSource(entry)) };
  }
  const index = await (await fetched("results.json")).json();
  return { live: index.live, sources: await Promise.all(index.results.map((entry) => new ServedSource(entry).open())) };
}
