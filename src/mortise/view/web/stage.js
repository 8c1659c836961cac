// One result on the screen: its picture, camera and what is selected in it.
import { Frames } from "./frames.js";
import { Poses } from "./pose.js";
import { Instances } from "./instances.js";
import { addBodies, addJoint, addSpring } from "./symbols.js";
import { Reactions, Traces, Threads, Labels } from "./overlays.js";
import { Backdrop, themes } from "./backdrop.js";

const colours = { selected: "#2f81f7", redundant: "#f0a202", conflict: "#e5484d" };

// Whether pictures are drawn by the processor, for want of a graphics card.
function drawnInSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

export class Stage {
  constructor(source, host, redraw) {
    this.source = source;
    this.scene = source.scene;
    this.host = host;
    this.redraw = redraw;
    this.frames = new Frames(source, redraw);
    this.poses = new Poses(this.scene);
    this.selection = null;
    this.follow = false;
    this.mode = null;
    this.highlight = true;
    this.drawn = -1;  // number of the frame on the screen

    const shadows = this.scene.bodies.length <= 200;
    // Smooth edges cost a processor as much as all the rest of many bodies.
    const crowd = this.scene.bodies.length > 150, software = crowd && drawnInSoftware();
    this.renderer = new THREE.WebGLRenderer({ antialias: !software });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = shadows;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    const canvas = this.renderer.domElement;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${this.scene.name}: the mechanism in motion. Drag to turn, wheel to zoom, click to select.`);
    canvas.tabIndex = 0;
    const labels = document.createElement("div");
    labels.className = "labels";
    labels.setAttribute("aria-hidden", "true");
    const caption = document.createElement("div");
    caption.className = "caption";
    caption.textContent = source.label;
    host.append(canvas, labels, caption);

    this.three = new THREE.Scene();
    this.backdrop = new Backdrop(this.three, this.scene, shadows);
    this.instances = new Instances();
    this.extras = [];
    const pieces = [];
    addBodies(this.scene, this.instances, pieces);
    this.scene.joints.forEach((_, k) => addJoint(this.scene, k, this.instances));
    this.scene.springs.forEach((spring) => addSpring(this.scene, spring, this.instances));
    this.reactions = new Reactions(this.scene, this.instances);
    this.instances.build(shadows, software);
    this.three.add(this.instances.group);
    for (const piece of pieces) this.addPiece(piece, shadows);
    this.traces = new Traces(this.scene);
    this.three.add(this.traces.group);
    this.threads = crowd ? new Threads(this.scene) : null;
    if (this.threads) this.three.add(this.threads.lines);
    this.labels = new Labels(this.scene, labels);

    this.camera = new THREE.PerspectiveCamera(32, 1, 0.01 * this.backdrop.radius, 200 * this.backdrop.radius);
    this.camera.up.copy(this.scene.dimension === 2 ? new THREE.Vector3(0, 1, 0) : this.backdrop.up);
    this.controls = new THREE.OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.addEventListener("change", redraw);
    this.controls.addEventListener("start", () => { this.turned = true; });  // by hand: it stays as it is
    this.listen(canvas);
    this.recolour();
    this.home();
  }

  addPiece({ geometry, body, local, colour, owner }, shadows) {
    const material = new THREE.MeshStandardMaterial({ color: colour, roughness: 0.55, metalness: 0.05 });
    const mesh = new THREE.Mesh(geometry, material);
    mesh.matrixAutoUpdate = false;
    mesh.frustumCulled = false;
    mesh.castShadow = mesh.receiveShadow = shadows;
    mesh.userData = { owner, body, local, colour };
    this.extras.push(mesh);
    this.three.add(mesh);
  }

  listen(canvas) {
    let down = null;
    canvas.addEventListener("pointerdown", (event) => (down = [event.clientX, event.clientY]));
    canvas.addEventListener("pointerup", (event) => {
      if (down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < 5) this.onpick?.(this.pick(event));
      down = null;
    });
  }

  pick(event) {
    const box = this.renderer.domElement.getBoundingClientRect();
    const at = new THREE.Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(at, this.camera);
    const targets = [...this.instances.meshes.filter((mesh) => mesh.visible), ...this.extras];
    for (const hit of ray.intersectObjects(targets, false)) {
      const owner = hit.object.userData.items ? Instances.ownerOf(hit) : hit.object.userData.owner;
      if (owner) return owner;
    }
    return null;
  }

  // The whole motion in view: planar models from the front, spatial ones from a corner.
  home() {
    const { center, radius, up } = this.backdrop;
    const direction = this.scene.dimension === 2
      ? new THREE.Vector3(0.07, 0.1, 1)
      : new THREE.Vector3(1, 0.28, 0.55).applyQuaternion(new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), up));
    if (this.scene.dimension === 3) direction.add(up.clone().multiplyScalar(0.02));
    const half = (this.camera.fov / 2) * (Math.PI / 180);
    const narrow = Math.min(1, this.camera.aspect || 1);
    direction.normalize();
    this.followed = null;
    this.turned = false;
    this.controls.target.copy(center);
    this.camera.position.copy(center).addScaledVector(direction, this.fitDistance(direction, half, narrow) || radius * 3);
    this.controls.update();
    this.redraw();
  }

  // The nearest place along the direction from which all corners of the extent are seen.
  fitDistance(direction, half, narrow) {
    const { box, center } = this.backdrop;
    const right = new THREE.Vector3().crossVectors(this.camera.up, direction).normalize();
    const top = new THREE.Vector3().crossVectors(direction, right);
    const margin = 0.12 * this.scene.length;
    let far = 0;
    for (let k = 0; k < 8; ++k) {
      const p = new THREE.Vector3(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z).sub(center);
      const depth = p.dot(direction);
      const tall = (Math.abs(p.dot(top)) + margin) / Math.tan(half);
      const wide = (Math.abs(p.dot(right)) + margin) / (Math.tan(half) * (this.camera.aspect || 1));
      far = Math.max(far, depth + 1.12 * tall, depth + 1.12 * wide);
    }
    return far;
  }

  // By keys: turned by angles about the vertical and the horizontal axis, nearer by a factor.
  orbit(side, tall, nearer = 1) {
    const { camera, controls } = this;
    const away = camera.position.clone().sub(controls.target), right = camera.up.clone().cross(away).normalize();
    const angle = away.angleTo(camera.up);
    away.applyAxisAngle(right, Math.min(Math.PI - 0.02, Math.max(0.02, angle + tall)) - angle);
    away.applyAxisAngle(camera.up, side).divideScalar(nearer);
    camera.position.copy(controls.target).add(away);
    this.turned = true;
    controls.update();
    this.redraw();
  }

  // Of a run that goes on nobody knows how far it will reach: the picture gets wider with it.
  widen() {
    const { box } = this.backdrop, point = new THREE.Vector3();
    let wider = false;
    this.scene.bodies.forEach((body, k) => {
      if (!body.kept || box.containsPoint(this.poses.point(k, body.center, point))) return;
      box.expandByPoint(point);
      wider = true;
    });
    if (!wider) return;
    this.backdrop.center.copy(box.getCenter(point));
    if (!this.turned && !this.follow) this.home();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (width === 0 || height === 0 || (this.width === width && this.height === height)) return;
    this.width = width, this.height = height;
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (!this.turned && !this.followed) this.home();
  }

  dress(name) {
    const theme = themes[name];
    this.three.background = new THREE.Color(theme.background);
    this.backdrop.dress(theme);
  }

  find(name) {
    const body = this.scene.bodies.findIndex((b) => b.name === name);
    if (body >= 0) return { kind: "body", index: body };
    const joint = this.scene.joints.findIndex((j) => j.name === name);
    return joint >= 0 ? { kind: "joint", index: joint } : null;
  }

  select(name) {
    this.selection = name === null ? null : this.find(name);
    this.recolour();
    this.redraw();
  }

  colourOf(owner) {
    if (!owner) return null;
    if (this.selection && owner.kind === this.selection.kind && owner.index === this.selection.index) return colours.selected;
    if (owner.kind !== "joint" || owner.plain || !this.highlight) return null;
    const joint = this.scene.joints[owner.index];
    return joint.conflict ? colours.conflict : joint.redundant > 0 ? colours.redundant : null;
  }

  recolour() {
    this.instances.recolour((owner) => this.colourOf(owner));
    this.threads?.recolour((owner) => this.colourOf(owner));
    for (const mesh of this.extras) mesh.material.color.set(this.colourOf(mesh.userData.owner) ?? mesh.userData.colour);
  }

  // The frame at or before t, and the share of the way to the next.
  locate(t) {
    const times = this.source.times;
    let low = 0, high = times.length - 1;
    const rounding = 1e-9 * (times[high] - times[0]);  // frame 70 is at 0.7000000000000001 s
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle] <= t + rounding) low = middle;
      else high = middle - 1;
    }
    const next = Math.min(low + 1, times.length - 1), step = times[next] - times[low];
    return { frame: low, next, share: step > 0 ? Math.min(1, Math.max(0, (t - times[low]) / step)) : 0 };
  }

  // Draws the time t; false when its frames are still on their way (the picture then stays as it was).
  draw(t, phase) {
    const { frame, next, share } = this.locate(t);
    const a = this.frames.get(this.mode ? 0 : frame);
    const b = this.mode || share === 0 ? a : this.frames.get(next);
    this.frames.prefetch(frame);
    if (a && b) {
      if (this.mode) this.poses.along(a, this.mode, 0.22 * Math.sin(phase));
      else this.poses.between(a, b, share);
      if (this.live && !this.mode) this.widen();
      if (this.reactions.scale === 0) this.scaleReactions(a);
      this.reactions.update(this.frames, a, this.poses);
      this.traces.update(t);
      this.instances.update(this.poses);
      this.threads?.update(this.poses);
      for (const mesh of this.extras) {
        mesh.matrix.fromArray(this.poses.matrices, this.poses.offset(mesh.userData.body)).multiply(mesh.userData.local);
        mesh.matrixWorldNeedsUpdate = true;
      }
      this.followBody();
      this.drawn = this.mode ? 0 : frame;
    }
    this.focus();
    this.renderer.render(this.three, this.camera);
    this.labels.update(this.poses, this.camera, this.width, this.height);
    return Boolean(a && b);
  }

  // What is near enough to be looked at is not cut off: a link of a long chain, too.
  focus() {
    const near = Math.min(0.01 * this.backdrop.radius, 0.02 * this.camera.position.distanceTo(this.controls.target));
    if (Math.abs(near - this.camera.near) <= 0.2 * this.camera.near) return;
    this.camera.near = near;
    this.camera.updateProjectionMatrix();
  }

  // The largest arrow of the run is about as long as a body; of a run that goes on, the largest of the frame.
  scaleReactions(frame) {
    const most = this.live ? this.reactions.largest(this.frames, frame) : this.scene.force;
    this.reactions.scale = most > 0 ? (0.6 * this.scene.length) / most : 0;
  }

  followBody() {
    if (!this.follow) return (this.followed = null);
    const now = this.middle();
    if (this.followed) {
      const move = now.clone().sub(this.followed);
      this.camera.position.add(move);
      this.controls.target.add(move);
    } else {
      const move = now.clone().sub(this.controls.target);
      this.camera.position.add(move);
      this.controls.target.copy(now);
    }
    this.camera.updateMatrixWorld();
    this.camera.lookAt(this.controls.target);
    this.backdrop.moveTo(this.controls.target);
    this.followed = now;
  }

  // Of the selected body, else of all of them.
  middle() {
    const out = new THREE.Vector3(), point = new THREE.Vector3(), { bodies } = this.scene;
    if (this.selection?.kind === "body") return this.poses.point(this.selection.index, bodies[this.selection.index].center, out);
    for (let k = 0; k < bodies.length; ++k) out.add(this.poses.point(k, bodies[k].center, point));
    return out.divideScalar(bodies.length);
  }
}
