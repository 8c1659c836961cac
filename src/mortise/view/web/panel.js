// The panel at the side: what is selected with its numbers and plot, what is shown, all bodies and joints, the diagnosis
// and the free motions. Text reaches the page as text only.
import { bodyColour } from "./symbols.js";
import { Plot, short } from "./plot.js";

const mostListed = 200;

export function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

function card(title) {
  const section = make("section", "card");
  if (title) section.append(make("h2", "", title));
  return section;
}

// The numbers of a frame that tell of a body or joint: name of the quantity, unit, field, item, column.
function rowsOf(stage, owner) {
  const { frames, scene } = stage;
  const of = (field, prefix) =>
    frames.fields[field].columns.map((column, k) => ({
      name: `${prefix}${column}`, short: column, unit: frames.fields[field].units[k], field, item: owner?.index ?? 0, column: k,
    }));
  if (!owner) return of("general", "").filter((row, k, all) => all.findIndex((other) => other.name === row.name) === k);
  if (owner.kind === "body") {
    const name = scene.bodies[owner.index].name + ".";
    return [...of("pose", name), ...of("velocity", name)].filter((row) => !scene.bodies[owner.index].particle || !/^(q.|w.|angle)$/.test(row.short));
  }
  return of("reaction", scene.joints[owner.index].name + ".reaction.");
}

export class Panel {
  constructor(app, element) {
    this.app = app;
    this.stages = app.stages;
    this.chosen = card();
    this.plot = new Plot((t) => app.seek(t));
    this.plotted = null;
    const parts = [this.shown(), this.list()];
    // What is redundant or contradicts itself is the first thing to tell.
    const telling = this.stages[0].scene.joints.some((joint) => joint.redundant > 0 || joint.conflict);
    parts.splice(telling ? 0 : 2, 0, this.diagnosis());
    element.append(this.chosen, ...parts, this.about());
    this.refresh();
  }

  // ---- what is selected
  refresh() {
    const [stage] = this.stages;
    const owner = stage.selection;
    this.chosen.replaceChildren();
    this.rows = this.stages.map((s) => rowsOf(s, s.selection));
    if (!owner) {
      this.chosen.append(make("h2", "", "Whole mechanism"), make("p", "note", "Click a body or joint to see its numbers."));
    } else {
      const item = owner.kind === "body" ? stage.scene.bodies[owner.index] : stage.scene.joints[owner.index];
      this.chosen.append(make("div", "name", item.name), make("p", "kind", this.describe(stage, owner, item)));
      if (owner.kind === "joint") this.explain(item);
      if (!item.kept) this.chosen.append(make("p", "note", "The result does not keep it."));
    }
    const table = make("table", "values");
    const body = make("tbody");
    this.cells = this.rows[0].map((row) => {
      const line = make("tr");
      line.dataset.quantity = row.name;
      const head = make("th");
      head.scope = "row";
      const button = make("button", "", row.short);  // so that keys reach it
      button.type = "button";
      button.title = `Plot ${row.name}`;
      head.append(button);
      const cells = this.stages.map(() => make("td"));
      line.append(head, ...cells, make("td", "unit", row.unit));
      line.addEventListener("click", () => this.show(row.name));
      body.append(line);
      return cells;
    });
    table.append(body);
    this.chosen.append(table);
    if (owner?.kind === "joint") {
      this.magnitude = make("p", "note");
      this.chosen.append(this.magnitude);
    } else {
      this.magnitude = null;
    }
    this.chosen.append(this.plot.element);
    const keep = this.rows[0].find((row) => row.name === this.plotted);
    if (keep || this.app.small) this.show((keep ?? this.rows[0][owner ? 0 : 2]).name);
    else this.plot.title.textContent = "A click on a line plots it; this result is large.";
  }

  describe(stage, owner, item) {
    if (owner.kind === "body") return `${item.particle ? "particle" : "body"} · ${short(item.mass)} kg`;
    const names = item.bodies.map((b) => (b < 0 ? "ground" : stage.scene.bodies[b].name));
    return `${item.type}${item.driver ? " driver" : ""} · ${names.join(" – ")} · ${item.rows} row${item.rows === 1 ? "" : "s"}`;
  }

  explain(joint) {
    if (joint.conflict) this.chosen.append(make("p", "note red", "Takes part in a conflict: see the diagnosis."));
    else if (joint.redundant)
      this.chosen.append(make("p", "note amber", `${joint.redundant} of its rows take part in a redundancy: this reaction may not be unique.`));
  }

  // Plots one row of the table over the whole run.
  async show(name) {
    this.plotted = name;
    for (const line of this.chosen.querySelectorAll("tr")) line.classList.toggle("plotted", line.dataset.quantity === name);
    const row = this.rows[0].find((r) => r.name === name);
    const wanted = this.stages.map((stage, k) => this.curve(stage, this.rows[k].find((r) => r.short === row.short)));
    const title = `${name}${row.unit ? ` [${row.unit}]` : ""}`;
    this.plot.title.textContent = `${title} …`;
    try {
      const curves = await Promise.all(wanted);
      if (this.plotted !== name) return;
      this.plot.show(title, curves.filter((c) => c));
      this.app.redraw();
    } catch (error) {
      this.app.trouble(error);
    }
  }

  async curve(stage, row) {
    if (!row) return null;
    if (stage.source.served) {
      const y = [...await stage.source.series(row.name)];
      return { t: [...stage.source.times.slice(0, y.length)], y };
    }
    return stage.frames.overTime((frame) => stage.frames.value(frame, row.field, row.item, row.column), 1500);
  }

  // A run has gone on: the rest of what is plotted.
  async grow() {
    const { plotted } = this, { curves } = this.plot;
    const row = this.rows[0].find((r) => r.name === plotted);
    if (!row) return;
    if (curves.length !== this.stages.length) return this.show(plotted);  // the first look at it failed
    for (const [k, { source }] of this.stages.entries()) {
      const known = curves[k].t.length;
      if (known >= source.times.length) continue;
      const name = this.rows[k].find((r) => r.short === row.short).name;
      const more = await source.series(name, known);
      if (this.plotted !== plotted || this.plot.curves !== curves) return;  // something else was chosen meanwhile
      curves[k].t.push(...source.times.slice(known, known + more.length));
      curves[k].y.push(...more);
    }
    this.plot.show(this.plot.title.textContent, curves);
  }

  // The numbers of the frames on the screen.
  update(t) {
    this.stages.forEach((stage, s) => {
      const frame = stage.drawn < 0 ? null : stage.frames.get(stage.drawn);
      if (!frame) return;
      this.rows[s].forEach((row, k) => {
        const value = stage.frames.value(frame, row.field, row.item, row.column);
        const cell = this.cells[k]?.[s];
        if (!cell) return;
        cell.textContent = short(value);
        cell.dataset.value = value;
      });
      if (this.magnitude && s === 0) {
        const planar = stage.scene.dimension === 2;
        const f = [0, 1, 2].slice(0, planar ? 2 : 3).map((c) => stage.frames.value(frame, "reaction", stage.selection.index, c));
        this.magnitude.textContent = `force ${short(Math.hypot(...f))} N on ${this.second(stage)}, at its point`;
      }
    });
    this.plot.draw(t);
  }

  second(stage) {
    const body = stage.scene.joints[stage.selection.index].bodies[1];
    return body < 0 ? "the ground" : stage.scene.bodies[body].name;
  }

  // ---- what is shown
  shown() {
    const section = card("Show");
    const toggles = make("div", "toggles");
    for (const option of this.app.options) {
      const label = make("label");
      const box = make("input");
      box.type = "checkbox";
      box.checked = option.on;
      box.id = "show-" + option.name;
      box.addEventListener("change", () => this.app.set(option.name, box.checked));
      label.append(box, option.words);
      toggles.append(label);
      option.box = box;
    }
    const row = make("label", "row", "arrow size");
    const size = make("input");
    Object.assign(size, { id: "arrow-size", type: "range", min: -2, max: 2, step: 0.1, value: 0 });
    let before = 0;
    size.addEventListener("input", () => {
      for (const stage of this.stages) stage.reactions.scale *= 4 ** (Number(size.value) - before);
      before = Number(size.value);
      this.app.set("reactions", true);
    });
    row.append(size);
    section.append(toggles, row);
    return section;
  }

  // ---- all bodies and joints
  list() {
    const section = card("Bodies and joints");
    const search = make("input");
    Object.assign(search, { type: "search", placeholder: "find a name" });
    search.setAttribute("aria-label", "Find a body or joint");
    const list = make("div", "list");
    const fill = () => this.fill(list, search.value.toLowerCase());
    search.addEventListener("input", fill);
    section.append(search, list);
    fill();
    return section;
  }

  fill(list, word) {
    const { scene } = this.stages[0];
    const entries = [
      ...scene.bodies.map((b, k) => ({ name: b.name, kind: b.particle ? "particle" : "body", colour: bodyColour(scene, k), mark: "" })),
      ...scene.joints.map((j) => ({ name: j.name, kind: j.type, mark: " joint" + (j.conflict ? " conflict" : j.redundant ? " redundant" : "") })),
    ].filter((entry) => entry.name.toLowerCase().includes(word) || entry.kind.includes(word));
    list.replaceChildren();
    for (const entry of entries.slice(0, mostListed)) {
      const button = make("button");
      button.type = "button";
      const dot = make("span", "dot" + entry.mark);
      if (entry.colour) dot.style.background = entry.colour;
      button.append(dot, make("span", "", entry.name), make("small", "", entry.kind));
      button.addEventListener("click", () => this.app.select(entry.name));
      list.append(button);
    }
    if (entries.length > mostListed) list.append(make("p", "note", `and ${entries.length - mostListed} more: type to find one`));
    if (entries.length === 0) list.append(make("p", "note", "no such name"));
  }

  // ---- diagnosis and free motions
  diagnosis() {
    const section = card("Diagnosis");
    const { scene } = this.stages[0];
    if (scene.modes.length > 0) {
      const modes = make("div", "modes");
      this.modeButtons = scene.modes.map((mode, k) => {
        const button = make("button", "", `▸ ${mode.words || "free motion " + (k + 1)}`);
        button.type = "button";
        button.setAttribute("aria-pressed", "false");
        button.addEventListener("click", () => this.app.mode(this.app.shownMode === k ? -1 : k));
        modes.append(button);
        return button;
      });
      section.append(make("p", "note", "Free motions: choose one to see it."), modes);
    }
    section.append(make("pre", "", scene.diagnosis.text.trimEnd()));
    return section;
  }

  pressMode(number) {
    (this.modeButtons ?? []).forEach((button, k) => button.setAttribute("aria-pressed", String(k === number)));
  }

  about() {
    const section = card("This picture");
    this.stages.forEach((stage) => {
      const { count, total } = stage.scene.frames;
      const kept = total > count ? `${count} of ${total} frames are in this file (${((100 * count) / total).toPrecision(3)} %)` : `${total} frame${total === 1 ? "" : "s"}`;
      section.append(make("p", "note", `${stage.source.label}: ${kept}, 32 bits a number`));
    });
    for (const note of this.stages.flatMap((stage) => stage.scene.notes)) section.append(make("p", "note amber", note));
    this.rate = make("p", "note");
    this.rate.id = "rate";
    section.append(this.rate, make("p", "note", `made by Mortise ${this.stages[0].scene.program}`));
    return section;
  }
}
