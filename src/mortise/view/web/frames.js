// Frames on demand: blocks of about 1 MB are fetched around and ahead of the playhead, the least recently used are
// forgotten beyond 96 MB. So the first frame of a large result shows after one small request.

const cacheBytes = 96e6;
const blocksAhead = 3;

export class Frames {
  constructor(source, changed) {
    this.source = source;
    this.layout = source.scene.frames;
    this.numbers = this.layout.bytes / 4;
    this.perBlock = source.framesPerBlock;
    this.most = Math.max(blocksAhead + 2, Math.floor(cacheBytes / (this.perBlock * this.layout.bytes)));
    this.blocks = new Map();   // number of the block → Float32Array; the order is that of use
    this.waiting = new Map();  // number → promise
    this.changed = changed;
    this.fields = Object.fromEntries(this.layout.fields.map((f) => [f.name, { ...f, offset: f.offset / 4 }]));
  }

  get count() {
    return this.source.times.length;
  }

  // The numbers of a frame, or null while they are on their way.
  get(k) {
    const block = this.have(k);
    if (!block) {
      this.load(k).catch((error) => this.failed(error));
      return null;
    }
    const at = (k % this.perBlock) * this.numbers;
    return block.subarray(at, at + this.numbers);
  }

  have(k) {
    const number = Math.floor(k / this.perBlock);
    const block = this.blocks.get(number);
    if (!block || (k % this.perBlock + 1) * this.numbers > block.length) return null;
    this.blocks.delete(number);
    this.blocks.set(number, block);
    return block;
  }

  async load(k) {
    if (this.have(k)) return;
    const number = Math.floor(k / this.perBlock);
    if (!this.waiting.has(number)) {
      const first = number * this.perBlock;
      const count = Math.min(this.perBlock, this.count - first);
      const fetching = this.source.frames(first, count).then((block) => {
        this.blocks.set(number, block);
        for (const old of this.blocks.keys()) {
          if (this.blocks.size <= this.most) break;
          if (old !== number) this.blocks.delete(old);
        }
        this.changed();
      }).finally(() => this.waiting.delete(number));
      this.waiting.set(number, fetching);
    }
    return this.waiting.get(number);
  }

  // What playing will need next.
  prefetch(k) {
    if (!this.source.served) return;
    const number = Math.floor(k / this.perBlock);
    for (let ahead = 1; ahead <= blocksAhead; ++ahead) {
      const first = (number + ahead) * this.perBlock;
      if (first < this.count && !this.blocks.has(number + ahead)) this.load(first).catch((error) => this.failed(error));
    }
  }

  failed(error) {
    console.error(error);
    this.problem = error.message;
    this.changed();
  }

  value(frame, field, item, column) {
    const f = this.fields[field];
    return frame[f.offset + item * f.width + column];
  }

  // One number over time, at no more than `most` frames: {t, y}. Goes through the blocks in order.
  async overTime(read, most) {
    const stride = Math.max(1, Math.ceil(this.count / most));
    const t = [], y = [];
    for (let k = 0; k < this.count; k += stride) {
      await this.load(k);
      t.push(this.source.times[k]);
      y.push(read(this.get(k)));
    }
    return { t, y };
  }
}
