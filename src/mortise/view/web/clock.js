// Model time: plays, pauses, steps, loops. It knows the span of the longest result and nothing of pictures.

export class Clock {
  constructor(begin, end) {
    this.begin = begin;
    this.end = end;
    this.t = begin;
    this.speed = 1;
    this.loop = true;
    this.playing = false;
    this.waiting = false;  // a frame is on its way: time stands still
  }

  play() {
    if (this.t >= this.end) this.t = this.begin;
    this.playing = true;
  }

  pause() {
    this.playing = false;
  }

  seek(t) {
    this.t = Math.min(this.end, Math.max(this.begin, t));
  }

  advance(seconds) {
    if (!this.playing || this.waiting) return;
    this.t += seconds * this.speed;
    if (this.t < this.end) return;
    if (this.loop && this.end > this.begin) {
      this.t = this.begin + ((this.t - this.begin) % (this.end - this.begin));
    } else {
      this.t = this.end;
      this.playing = false;
    }
  }
}
