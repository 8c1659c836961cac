// Puts the page together: one stage a result, one clock, one panel; keys, buttons and the address' fragment.
//
// Fragment, for links and video: #t=1.5&play=on&ui=off&theme=dark&select=left&labels=on&reactions=on&traces=off&mode=0
import { openResults } from "./source.js";
import { Stage } from "./stage.js";
import { Clock } from "./clock.js";
import { Panel, make } from "./panel.js";

const byId = (id) => document.getElementById(id);

class App {
  constructor({ live, sources }) {
    this.live = live;
    this.dirty = true;
    this.shownMode = -1;
    this.redraw = () => (this.dirty = true);
    this.stages = sources.map((source) => {
      const host = make("section", "stage");
      byId("stages").append(host);
      const stage = new Stage(source, host, this.redraw);
      stage.live = live;
      return stage;
    });
    const spans = sources.map((s) => [s.times[0] ?? 0, s.times[s.times.length - 1] ?? 0]);
    this.clock = new Clock(Math.min(...spans.map((s) => s[0])), Math.max(...spans.map((s) => s[1])));
    this.small = sources.every((s) => s.scene.frames.bytes * s.times.length <= 64e6);
    const few = this.stages[0].scene.bodies.length + this.stages[0].scene.joints.length <= 40;
    this.options = [
      { name: "joints", words: "joints", on: true, key: "j" },
      { name: "labels", words: "names", on: few, key: "l" },
      { name: "reactions", words: "reactions", on: false, key: "r" },
      { name: "traces", words: "paths", on: this.small, key: "t" },
      { name: "highlight", words: "diagnosis", on: true },
      { name: "grid", words: "grid", on: true },
      { name: "follow", words: "follow", on: this.stages[0].backdrop.travels, key: "f" },
    ];
    const [stage] = this.stages;
    document.title = `${stage.scene.name} · Mortise`;
    byId("name").textContent = stage.scene.name;
    byId("facts").textContent = stage.scene.facts;
    this.panel = new Panel(this, byId("panel"));
    for (const s of this.stages) {
      s.onpick = (owner) => this.select(owner ? s.scene[owner.kind === "body" ? "bodies" : "joints"][owner.index].name : null);
      s.controls.addEventListener("change", () => this.sameCamera(s));
    }
    for (const option of this.options) this.set(option.name, option.on);
    this.dressed(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    this.buttons();
    this.keys();
    this.marks();
    document.body.classList.toggle("still", this.clock.end === this.clock.begin && !live);
    this.chooseSpeed();
    if (innerWidth <= 760) document.body.classList.add("closed");
    this.follow(location.hash);
    addEventListener("hashchange", () => this.follow(location.hash));
    addEventListener("resize", this.redraw);
    new ResizeObserver(this.redraw).observe(byId("stages"));
    this.count = { drawn: 0, busy: 0, since: performance.now(), rate: 0, cost: 0 };
    this.last = performance.now();
    this.tick = this.tick.bind(this);
    requestAnimationFrame(this.tick);
    if (live) this.seek(this.clock.end), this.poll();  // what is new is looked at, until somebody goes elsewhere
  }

  // ---- the loop
  tick(now) {
    const seconds = Math.min(0.25, (now - this.last) / 1000);
    this.last = now;
    this.clock.advance(seconds);
    for (const stage of this.stages) stage.resize();
    const swinging = this.shownMode >= 0 && this.frozenPhase === undefined;
    const moving = this.clock.playing || swinging || this.clock.waiting;
    if (this.dirty || moving) {
      this.dirty = false;
      const begin = performance.now();
      this.phase = (now / 1000) * 2.4;
      const ready = this.stages.map((stage) => stage.draw(this.clock.t, this.frozenPhase ?? this.phase));
      this.clock.waiting = !ready.every(Boolean);
      this.panel.update(this.clock.t);
      this.timeline();
      ++this.count.drawn;
      this.count.busy += performance.now() - begin;
      const problem = this.stages.map((stage) => stage.frames.problem).find(Boolean);
      if (problem) this.trouble(new Error(problem));
    }
    if (now - this.count.since >= 1000) {
      this.count.rate = (1000 * this.count.drawn) / (now - this.count.since);
      this.count.cost = this.count.busy / Math.max(1, this.count.drawn);
      this.count.drawn = 0, this.count.busy = 0, this.count.since = now;
      const { rate, cost } = this.count;
      if (moving) this.panel.rate.textContent = `${rate.toFixed(0)} pictures a second, ${cost.toFixed(1)} ms of the page's own for each`;
    }
    requestAnimationFrame(this.tick);
  }

  timeline() {
    const { clock } = this, scrub = byId("scrub");
    scrub.min = clock.begin, scrub.max = clock.end;
    scrub.value = clock.t;
    scrub.setAttribute("aria-valuetext", `${clock.t.toFixed(3)} seconds`);
    const digits = clock.end - clock.begin < 1 ? 4 : clock.end < 100 ? 3 : 2;
    byId("time").textContent = `${clock.t.toFixed(digits)} / ${Number(clock.end.toPrecision(6))} s`;
    const play = byId("play");
    play.textContent = clock.playing ? "❚❚" : "▶";
    play.setAttribute("aria-label", clock.playing ? "Pause" : "Play");
  }

  // Both pictures are seen from the same place.
  sameCamera(from) {
    for (const stage of this.stages) {
      if (stage === from || stage.scene.dimension !== from.scene.dimension) continue;
      stage.camera.position.copy(from.camera.position);
      stage.controls.target.copy(from.controls.target);
      stage.camera.lookAt(stage.controls.target);
    }
    this.redraw();
  }

  // ---- what can be done
  play() { this.mode(-1); this.clock.play(); this.redraw(); }
  pause() { this.clock.pause(); this.redraw(); }
  seek(t) { this.mode(-1); this.clock.seek(t); this.redraw(); }

  step(by) {
    this.pause();
    const [stage] = this.stages, times = stage.source.times;
    const { frame } = stage.locate(this.clock.t);
    this.seek(times[Math.min(times.length - 1, Math.max(0, frame + by))]);
  }

  select(name) {
    for (const stage of this.stages) stage.select(name);
    this.paths();
    this.panel.refresh();
    this.redraw();
  }

  mode(number) {
    if (number === this.shownMode) return;
    this.shownMode = number;
    if (number >= 0) this.clock.pause();
    for (const stage of this.stages) stage.mode = stage.scene.modes[number] ?? null;
    this.panel.pressMode(number);
    this.redraw();
  }

  set(name, on) {
    const option = this.options.find((o) => o.name === name);
    option.on = on;
    if (option.box) option.box.checked = on;
    for (const stage of this.stages) {
      if (name === "joints" || name === "reactions") stage.instances.show(name, on);
      if (name === "reactions" && on && stage.live) stage.reactions.scale = 0;  // by the frame at hand
      if (name === "labels") stage.labels.layer.hidden = !on;
      if (name === "grid") stage.backdrop.plane.visible = on;
      if (name === "follow") stage.follow = on, stage.followed = null;
      if (name === "highlight") stage.highlight = on, stage.recolour();
      if (name === "traces") stage.traces.group.visible = on;
    }
    if (name === "traces") this.paths();
    this.redraw();
  }

  // Paths, as far as the run has come.
  paths() {
    if (!this.options.find((o) => o.name === "traces").on) return;
    for (const stage of this.stages)
      stage.traces.load(stage.frames, stage.selection, this.redraw).catch((error) => this.trouble(error));
  }

  dressed(name) {
    this.theme = name;
    document.documentElement.dataset.theme = name;
    for (const stage of this.stages) stage.dress(name);
    this.redraw();
  }

  trouble(error) {
    byId("trouble").textContent = error.message;
    byId("trouble").hidden = false;
  }

  panelShown(on) {
    document.body.classList.toggle("closed", !on);
    this.redraw();
  }

  // ---- buttons, keys, fragment
  buttons() {
    const click = (id, does) => byId(id).addEventListener("click", does);
    click("play", () => (this.clock.playing ? this.pause() : this.play()));
    click("first", () => this.seek(this.clock.begin));
    click("back", () => this.step(-1));
    click("forth", () => this.step(1));
    click("theme", () => this.dressed(this.theme === "dark" ? "light" : "dark"));
    click("help-button", () => byId("help").showModal());
    click("panel-button", () => this.panelShown(document.body.classList.contains("closed")));
    byId("scrub").addEventListener("input", (event) => this.seek(Number(event.target.value)));
    byId("speed").addEventListener("change", (event) => (this.clock.speed = Number(event.target.value)));
    byId("loop").addEventListener("change", (event) => (this.clock.loop = event.target.checked));
    // What the mouse has pressed gives the keys back: space plays, arrows move in time.
    addEventListener("click", ({ detail, target }) => detail > 0 && target.closest("button, input[type=checkbox]")?.blur());
    byId("speed").addEventListener("change", (event) => event.target.blur());
  }

  // Of the speeds on offer the one nearest to 1 at which the run takes from 4 to 90 seconds.
  chooseSpeed() {
    const span = this.clock.end - this.clock.begin, speed = byId("speed");
    if (!(span > 0) || this.live) return;
    const fit = [...speed.options].map((o) => Number(o.value)).filter((v) => span / v >= 4 && span / v <= 90);
    const wanted = fit.sort((a, b) => Math.abs(Math.log(a)) - Math.abs(Math.log(b)))[0] ?? (span < 4 ? 0.001 : 20);
    speed.value = String(wanted);
    this.clock.speed = wanted;
  }

  faster(by) {
    const speed = byId("speed");
    speed.selectedIndex = Math.min(speed.length - 1, Math.max(0, speed.selectedIndex + by));
    this.clock.speed = Number(speed.value);
  }

  keys() {
    const far = () => (this.clock.end - this.clock.begin) / 50;
    const does = {
      " ": () => (this.clock.playing ? this.pause() : this.play()),
      ArrowLeft: () => this.seek(this.clock.t - far()),
      ArrowRight: () => this.seek(this.clock.t + far()),
      ArrowUp: () => this.faster(1),
      ArrowDown: () => this.faster(-1),
      ",": () => this.step(-1),
      ".": () => this.step(1),
      Home: () => this.seek(this.clock.begin),
      End: () => this.seek(this.clock.end),
      Escape: () => this.mode(-1),
      "?": () => byId("help").showModal(),
      h: () => this.stages.forEach((stage) => stage.home()),
      d: () => this.dressed(this.theme === "dark" ? "light" : "dark"),
      p: () => this.panelShown(document.body.classList.contains("closed")),
      m: () => this.mode(this.shownMode + 1 < this.stages[0].scene.modes.length ? this.shownMode + 1 : -1),
    };
    for (const option of this.options) if (option.key) does[option.key] = () => this.set(option.name, !option.on);
    const orbit = (side, tall, nearer) => () => this.stages.forEach((stage) => stage.orbit(side, tall, nearer));
    const turned = Math.PI / 36;
    Object.assign(does, { "+": orbit(0, 0, 1.15), "=": orbit(0, 0, 1.15), "-": orbit(0, 0, 1 / 1.15) });
    const shifted = { ArrowLeft: orbit(-turned, 0), ArrowRight: orbit(turned, 0), ArrowUp: orbit(0, -turned), ArrowDown: orbit(0, turned) };
    addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
      const typing = event.target.matches("input[type=search], select, #arrow-size");
      const onButton = event.key === " " && event.target.matches("button, input[type=checkbox]");
      const action = event.shiftKey && shifted[event.key] || does[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (!action || typing || onButton) return;
      event.preventDefault();
      action();
    });
  }

  marks() {
    const { events } = this.stages[0].scene, { begin, end } = this.clock;
    for (const event of events.slice(0, 500)) {
      const mark = make("i");
      mark.style.left = `${(100 * (event.t - begin)) / (end - begin || 1)}%`;
      mark.title = `${event.t.toPrecision(6)} s: ${event.name} ${event.what}`;
      byId("marks").append(mark);
    }
  }

  follow(fragment) {
    const wish = new URLSearchParams(fragment.slice(1));
    const on = (name) => wish.get(name) === "on";
    if (wish.has("ui")) document.body.classList.toggle("bare", wish.get("ui") === "off");
    if (wish.has("theme")) this.dressed(on("theme") || wish.get("theme") === "dark" ? "dark" : "light");
    for (const option of this.options) if (wish.has(option.name)) this.set(option.name, on(option.name));
    if (wish.has("select")) this.select(wish.get("select"));
    if (wish.has("t")) this.seek(Number(wish.get("t")));
    if (wish.has("mode")) this.mode(Number(wish.get("mode")));
    if (wish.has("phase")) this.frozenPhase = Number(wish.get("phase"));
    if (on("play")) this.play();
  }

  // ---- a run that goes on
  async poll() {
    try {
      const atEnd = this.clock.t >= this.clock.end;
      const states = await Promise.all(this.stages.map((stage) => stage.source.refresh()));
      const ends = this.stages.map((stage) => stage.source.times[stage.source.times.length - 1] ?? 0);
      const end = Math.max(...ends);
      if (end > this.clock.end) this.paths(), await this.panel.grow();
      this.clock.end = end;
      if (atEnd && !this.clock.playing) this.seek(this.clock.end);
      this.redraw();
      this.missed = 0;
      const behind = states.some((state) => state.behind);
      if (behind || states.some((state) => !state.finished)) setTimeout(() => this.poll(), behind ? 100 : 1000);
    } catch (error) {  // once may be chance
      this.missed = (this.missed ?? 0) + 1;
      if (this.missed < 3) setTimeout(() => this.poll(), 1000);
      else this.trouble(error);
    }
  }
}

// For tests and for video: seek, then wait until `settled()`.
openResults().then((results) => {
  const app = new App(results);
  window.mortise = {
    seek: (t) => app.seek(t),
    play: () => app.play(),
    pause: () => app.pause(),
    select: (name) => app.select(name),
    set: (name, on) => app.set(name, on),
    get time() { return app.clock.t; },
    get span() { return [app.clock.begin, app.clock.end]; },
    get frame() { return app.stages[0].drawn; },
    get rate() { return app.count.rate; },
    get cost() { return app.count.cost; },
    get playing() { return app.clock.playing; },
    settled: () => !app.dirty && !app.clock.waiting,
    get bytes() { return app.stages[0].scene.frames.bytes * app.stages[0].source.times.length; },
    hide: (yes) => app.stages.forEach((stage) => {
      stage.instances.group.visible = !yes;
      if (stage.threads) stage.threads.lines.visible = !yes;
    }),
    get cameras() { return app.stages.map((stage) => stage.camera.position.toArray()); },
    get paths() { return (app.stages[0].traces.wanted ?? []).map((tracer) => tracer.name); },
    get plotted() { return app.panel.plot.span; },
    // What is drawn of a body or joint, and the points of a path with the number of those that are past.
    drawn: (name) => app.stages[0].instances.drawnOf(app.stages[0].find(name)),
    path: (name) => {
      const { paths, wanted } = app.stages[0].traces, tracer = (wanted ?? []).find((one) => one.name === name);
      const { points, lines } = paths.get(tracer) ?? {};
      return lines ? { points: [...points], past: lines.past.geometry.drawRange.count } : null;
    },
    // Where a point of a body is on the screen, in pixels of the page.
    onScreen: (name) => {
      const [stage] = app.stages, owner = stage.find(name);
      const item = owner.kind === "body" ? stage.scene.bodies[owner.index] : stage.scene.joints[owner.index];
      const side = item.bodies?.[1] >= 0 ? 1 : 0;
      const p = owner.kind === "body" ? stage.poses.point(owner.index, item.center, new THREE.Vector3()) : stage.poses.point(item.bodies[side], item.at[side], new THREE.Vector3());
      p.project(stage.camera);
      const box = stage.renderer.domElement.getBoundingClientRect();
      return [box.left + ((p.x + 1) / 2) * box.width, box.top + ((1 - p.y) / 2) * box.height];
    },
  };
}).catch((error) => {
  console.error(error);
  byId("trouble").textContent = `The result cannot be shown: ${error.message}`;
  byId("trouble").hidden = false;
});
