// What is drawn on top of the bodies: reaction arrows, paths of points, names.
import { bodyColour } from "./symbols.js";

// An arrow a joint, on its second body at its point: force f N is drawn `scale` · f m long.
export class Reactions {
  constructor(scene, instances) {
    this.scale = 0;
    this.arrows = [];
    const z = new THREE.Vector3(0, 0, 1), turn = new THREE.Quaternion(), size = new THREE.Vector3();
    const tip = new THREE.Vector3(), unit = new THREE.Vector3(), r = 0.018 * scene.length;
    scene.joints.forEach((joint, k) => {
      if (!joint.placed || !joint.kept || joint.driver) return;
      const arrow = { joint: k, at: new THREE.Vector3(), force: new THREE.Vector3() };
      this.arrows.push(arrow);
      const owner = { kind: "joint", index: k, plain: true };
      const head = () => Math.min(5 * r, 0.5 * arrow.force.length() * this.scale);
      const shaft = (matrix) => {
        const length = arrow.force.length() * this.scale - head();
        if (!(length > 0.2 * r)) return false;
        turn.setFromUnitVectors(z, unit.copy(arrow.force).normalize());
        return matrix.compose(tip.copy(arrow.at).addScaledVector(unit, 0.5 * length), turn, size.set(r, r, length));
      };
      const point = (matrix) => {
        const length = arrow.force.length() * this.scale;
        if (!(length > 0.5 * r)) return false;
        turn.setFromUnitVectors(z, unit.copy(arrow.force).normalize());
        const wide = 0.45 * head();
        return matrix.compose(tip.copy(arrow.at).addScaledVector(unit, length - 0.5 * head()), turn, size.set(wide, wide, head()));
      };
      instances.addFree("cylinder", shaft, "#c8323c", owner, "reactions");
      instances.addFree("cone", point, "#c8323c", owner, "reactions");
    });
    this.scene = scene;
  }

  update(frames, frame, poses) {
    const planar = this.scene.dimension === 2;
    for (const arrow of this.arrows) {
      const joint = this.scene.joints[arrow.joint];
      poses.point(joint.bodies[1], joint.at[1], arrow.at);
      const f = (column) => frames.value(frame, "reaction", arrow.joint, column) || 0;
      arrow.force.set(f(0), f(1), planar ? 0 : f(2));
    }
  }

  // The largest force of a frame, to choose a scale by.
  largest(frames, frame) {
    const planar = this.scene.dimension === 2;
    let most = 0;
    for (const { joint } of this.arrows) {
      const f = (column) => frames.value(frame, "reaction", joint, column) || 0;
      most = Math.max(most, Math.hypot(f(0), f(1), planar ? 0 : f(2)));
    }
    return most;
  }
}

// Paths of points over the whole run, the part that is past drawn stronger: of the first named points, and of what is named
// on the body that is selected (of its centre of mass where nothing is).
const mostSamples = 4000;

export class Traces {
  constructor(scene, most = 6) {
    this.group = new THREE.Group();
    this.scene = scene;
    this.most = most;
    this.centers = new Map();  // body → a tracer of its centre of mass
    this.paths = new Map();    // tracer → {points: [x, y, z, …], lines: {all, past}}
    this.times = [];           // of the samples: every `stride`-th frame
    this.stride = 1;
    this.reading = null;
  }

  tracersFor(selection) {
    const { tracers, bodies } = this.scene, first = tracers.slice(0, this.most);
    if (selection?.kind !== "body" || !bodies[selection.index].kept) return first;
    const body = selection.index, own = tracers.filter((tracer) => tracer.body === body).slice(0, this.most);
    if (own.length > 0) return [...new Set([...first, ...own])];
    if (!this.centers.has(body)) this.centers.set(body, { name: bodies[body].name, body, at: bodies[body].center });
    return [...first, this.centers.get(body)];
  }

  // Reads what is not known yet: frames that came since, paths that are new.
  async load(frames, selection, changed) {
    while (this.reading) await this.reading;
    this.wanted = this.tracersFor(selection);
    this.reading = this.read(frames).finally(() => (this.reading = null));
    await this.reading;
    this.draw();
    changed();
  }

  async read(frames) {
    const { count } = frames;
    while (Math.ceil(count / this.stride) > mostSamples) this.thin();
    for (const tracer of this.wanted) if (!this.paths.has(tracer)) this.paths.set(tracer, { points: [], lines: null });
    const paths = this.wanted.map((tracer) => [tracer, this.paths.get(tracer).points]);
    const known = Math.min(...paths.map(([, points]) => points.length / 3));
    const point = new THREE.Vector3(), planar = this.scene.dimension === 2;
    for (let n = known; n * this.stride < count; ++n) {
      const k = n * this.stride;
      await frames.load(k);
      const frame = frames.get(k);
      this.times[n] = frames.source.times[k];
      for (const [tracer, points] of paths) {
        if (points.length !== 3 * n) continue;
        tracePoint(frames, frame, tracer, planar, point);
        points.push(point.x, point.y, point.z);
      }
    }
  }

  // Every second sample goes: a run that goes on has no last one.
  thin() {
    this.stride *= 2;
    this.times = this.times.filter((_, n) => n % 2 === 0);
    for (const path of this.paths.values()) path.points = path.points.filter((_, k) => Math.floor(k / 3) % 2 === 0);
  }

  draw() {
    this.group.clear();
    for (const path of this.paths.values()) {
      for (const line of Object.values(path.lines ?? {})) line.geometry.dispose(), line.material.dispose();
      path.lines = null;
    }
    for (const tracer of this.wanted) {
      const path = this.paths.get(tracer), colour = bodyColour(this.scene, tracer.body);
      const line = (opacity) => {
        const geometry = new THREE.BufferGeometry();
        geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(path.points), 3));
        const made = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: colour, transparent: true, opacity }));
        made.frustumCulled = false;
        this.group.add(made);
        return made;
      };
      path.lines = { all: line(0.22), past: line(0.95) };
    }
  }

  update(t) {
    let low = 0, high = this.times.length;
    const rounding = 1e-9 * (this.times[high - 1] - this.times[0]);
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= t + rounding) low = middle + 1;
      else high = middle;
    }
    for (const { lines } of this.paths.values()) lines?.past.geometry.setDrawRange(0, low);
  }
}

function tracePoint(frames, frame, tracer, planar, out) {
  const v = (column) => frames.value(frame, "pose", tracer.body, column);
  const [x, y, z] = tracer.at;
  if (planar) {
    const c = Math.cos(v(2)), s = Math.sin(v(2));
    return out.set(v(0) + c * x - s * y, v(1) + s * x + c * y, 0);
  }
  return out.set(x, y, z).applyQuaternion(new THREE.Quaternion(v(4), v(5), v(6), v(3))).add(new THREE.Vector3(v(0), v(1), v(2)));
}

// A line along each bar of a crowd: one pixel wide from any distance, where the bar itself would be thinner and not be seen.
export class Threads {
  constructor(scene) {
    this.bars = scene.bodies.flatMap((body, k) => body.shapes.filter((shape) => body.kept && shape.kind === "rod")
      .map((shape) => ({ body: k, ends: shape.points, colour: new THREE.Color(bodyColour(scene, k)) })));
    const geometry = new THREE.BufferGeometry(), number = 6 * this.bars.length;
    this.position = new THREE.BufferAttribute(new Float32Array(number), 3);
    this.colour = new THREE.BufferAttribute(new Float32Array(number), 3);
    this.position.setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute("position", this.position);
    geometry.setAttribute("color", this.colour);
    this.lines = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ vertexColors: true }));
    this.lines.frustumCulled = false;
    this.point = new THREE.Vector3();
  }

  recolour(colourOf) {
    const other = new THREE.Color();
    this.bars.forEach(({ body, colour }, k) => {
      const chosen = colourOf({ kind: "body", index: body });
      for (const end of [0, 1]) (chosen ? other.set(chosen) : colour).toArray(this.colour.array, 6 * k + 3 * end);
    });
    this.colour.needsUpdate = true;
  }

  update(poses) {
    this.bars.forEach(({ body, ends }, k) => {
      for (const end of [0, 1]) poses.point(body, ends[end], this.point).toArray(this.position.array, 6 * k + 3 * end);
    });
    this.position.needsUpdate = true;
  }
}

// Names as text over the picture.
export class Labels {
  constructor(scene, layer) {
    this.scene = scene;
    this.layer = layer;
    this.items = [];
    const add = (text, kind, body, at) => {
      const element = document.createElement("span");
      element.className = "label " + kind;
      element.textContent = text;
      layer.append(element);
      this.items.push({ element, body, at });
    };
    const joints = scene.joints.filter((j) => j.placed && !j.driver && j.kept);
    if (scene.bodies.length + joints.length <= 80) {
      scene.bodies.forEach((body, k) => body.kept && add(body.name, "body", k, middleOf(body)));
      for (const joint of joints) {
        const side = joint.bodies[1] >= 0 ? 1 : 0;
        add(joint.name, "joint" + (joint.conflict ? " conflict" : joint.redundant ? " redundant" : ""), joint.bodies[side], joint.at[side]);
      }
    }
    this.point = new THREE.Vector3();
  }

  update(poses, camera, width, height) {
    if (this.layer.hidden) return;
    const taken = [];  // a name that would cover another is left out
    for (const item of this.items) {
      const { element, body, at } = item;
      item.size ??= [element.offsetWidth, element.offsetHeight, element.classList.contains("body") ? 8 : -26];
      const p = poses.point(body, at, this.point).project(camera);
      const x = ((p.x + 1) / 2) * width, y = ((1 - p.y) / 2) * height;
      const box = [x, y + item.size[2], x + item.size[0], y + item.size[2] + item.size[1]];
      const covers = taken.some((b) => box[0] < b[2] && b[0] < box[2] && box[1] < b[3] && b[1] < box[3]);
      const seen = p.z < 1 && Math.abs(p.x) < 1.1 && Math.abs(p.y) < 1.1 && !covers;
      element.style.visibility = seen ? "visible" : "hidden";
      if (!seen) continue;
      taken.push(box);
      element.style.transform = `translate(${x}px, ${y}px)`;
    }
  }
}

// Where a body's name stands: in the middle of what is drawn of it.
function middleOf(body) {
  const points = body.shapes.flatMap((s) => (s.kind === "rod" ? s.points : [s.at]));
  if (points.length === 0) return body.center;
  return [0, 1, 2].map((k) => points.reduce((sum, p) => sum + p[k], 0) / points.length);
}
