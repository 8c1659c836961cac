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

// Paths of points over the whole run, the part that is past drawn stronger.
export class Traces {
  constructor(scene, most = 6) {
    this.group = new THREE.Group();
    this.scene = scene;
    this.tracers = scene.tracers.slice(0, most);
    this.lines = [];
    this.started = false;
  }

  // Reads the frames once, at most 4000 of them.
  async load(frames, poses, changed) {
    if (this.started) return;
    this.started = true;
    const stride = Math.max(1, Math.ceil(frames.count / 4000));
    const numbers = Math.ceil(frames.count / stride);
    const lines = this.tracers.map(() => new Float32Array(3 * numbers));
    this.times = new Float64Array(numbers);
    const point = new THREE.Vector3();
    for (let k = 0, n = 0; k < frames.count; k += stride, ++n) {
      await frames.load(k);
      const frame = frames.get(k);
      this.times[n] = frames.source.times[k];
      this.tracers.forEach((tracer, i) => {
        tracePoint(frames, frame, tracer, this.scene.dimension === 2, point).toArray(lines[i], 3 * n);
      });
    }
    this.tracers.forEach((tracer, i) => {
      const colour = bodyColour(this.scene, tracer.body);
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(lines[i], 3));
      for (const past of [false, true]) {
        const material = new THREE.LineBasicMaterial({ color: colour, transparent: true, opacity: past ? 0.95 : 0.22 });
        const line = new THREE.Line(past ? geometry.clone() : geometry, material);
        line.frustumCulled = false;
        this.group.add(line);
        if (past) this.lines.push(line);
      }
    });
    changed();
  }

  update(t) {
    if (!this.times) return;
    let n = 0;
    while (n < this.times.length && this.times[n] <= t) ++n;
    for (const line of this.lines) line.geometry.setDrawRange(0, n);
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
