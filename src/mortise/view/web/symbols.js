// Bodies and joints as primitives. A joint's symbol shows what it lets move: a pin with its ring turns, a block on a
// rail slides, a ball swivels. Joint frames: z is the axis in space; in the plane x is the direction of sliding.
import { placed, spanning } from "./instances.js";

export const palette = ["#4a7fb5", "#e08e3c", "#5aa072", "#b8607c", "#7d6fb8", "#3c9dab", "#c0a13c", "#8d7361"];
const steel = "#66727f", metal = "#b4bec9";

export function bodyColour(scene, body) {
  return scene.bodies[body].colour ?? palette[body % palette.length];
}

function scaled(x, y, z) {
  return new THREE.Vector3(x, y, z);
}

// Of many bodies each is drawn with less detail, which nobody could see.
function crowded(scene) {
  return scene.bodies.length > 150;
}

// A plate around corners in the plane of its axes, with rounded rim: its own mesh.
function plateGeometry(shape) {
  const r = shape.size[0];
  const outline = new THREE.Shape();
  const corners = shape.points;
  const n = corners.length;
  // The corners moved outwards by r, joined by arcs.
  for (let k = 0; k < n; ++k) {
    const [px, py] = corners[k], [qx, qy] = corners[(k + 1) % n], [ox, oy] = corners[(k + n - 1) % n];
    const before = Math.atan2(py - oy, px - ox) - Math.PI / 2, after = Math.atan2(qy - py, qx - px) - Math.PI / 2;
    outline.absarc(px, py, r, before, after < before - 1e-9 ? after + 2 * Math.PI : after, false);
  }
  outline.closePath();
  const depth = 0.9 * r;
  return new THREE.ExtrudeGeometry(outline, { depth, bevelEnabled: false, curveSegments: 8 }).translate(0, 0, -depth / 2);
}

function float32Of(base64Text, Type) {
  const raw = atob(base64Text), bytes = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; ++k) bytes[k] = raw.charCodeAt(k);
  return new Type(bytes.buffer);
}

function meshGeometry(mesh) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(float32Of(mesh.positions, Float32Array), 3));
  geometry.setIndex(new THREE.BufferAttribute(float32Of(mesh.triangles, Uint32Array), 1));
  const flat = geometry.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}

function addShape(scene, shape, body, colour, owner, instances, extras) {
  const [a, b, c] = shape.size ?? [0, 0, 0];
  const add = (primitive, local) => instances.add(primitive, body, local, colour, owner);
  const point = (p) => new THREE.Vector3(...p);
  switch (shape.kind) {
    case "box": return add("box", placed(shape.at, shape.axes, scaled(a, b, c)));
    case "sphere": return add("sphere", placed(shape.at, shape.axes, scaled(a, a, a)));
    case "cylinder": return add("cylinder", placed(shape.at, shape.axes, scaled(a, a, b)));
    case "capsule": {
      add("cylinder", placed(shape.at, shape.axes, scaled(a, a, b)));
      for (const end of [-0.5, 0.5])
        add("sphere", placed(shape.at, shape.axes).multiply(placed([0, 0, end * b], undefined, scaled(a, a, a))));
      return;
    }
    case "rod": {
      const [from, to] = shape.points;
      add("cylinder", spanning(point(from), point(to), a));
      if (!crowded(scene)) for (const end of [from, to]) add("sphere", placed(end, undefined, scaled(a, a, a)));
      return;
    }
    case "plate":
    case "mesh": {
      if (shape.kind === "plate" && crowded(scene)) {  // thousands of own meshes are slow: the rim says as much
        const at = placed(shape.at, shape.axes);
        shape.points.forEach((p, k) => {
          const q = shape.points[(k + 1) % shape.points.length];
          add("cylinder", at.clone().multiply(spanning(point(p), point(q), 0.6 * a)));
        });
        return;
      }
      const geometry = shape.kind === "plate" ? plateGeometry(shape) : meshGeometry(scene.meshes[shape.mesh]);
      const size = shape.kind === "mesh" ? scaled(a, b, c) : undefined;
      extras.push({ geometry, body, local: placed(shape.at, shape.axes, size), colour, owner });
    }
  }
}

export function addBodies(scene, instances, extras) {
  scene.bodies.forEach((body, k) => {
    if (!body.kept) return;
    const owner = { kind: "body", index: k };
    for (const shape of body.shapes) addShape(scene, shape, k, bodyColour(scene, k), owner, instances, extras);
  });
  for (const shape of scene.ground) addShape(scene, shape, -1, metal, null, instances, extras);
}

// What stands on the ground below a pin: a foot.
function addFoot(scene, joint, side, r, instances, owner) {
  const up = new THREE.Vector3(...scene.up);
  const at = new THREE.Vector3(...joint.at[side]);
  const base = at.clone().addScaledVector(up, -2.6 * r);
  const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), up);
  const middle = at.clone().addScaledVector(up, -1.3 * r);
  instances.add("cone", -1, new THREE.Matrix4().compose(middle, turn, scaled(1.5 * r, 1.5 * r, 2.6 * r)), metal, owner, "joints");
  instances.add("box", -1, new THREE.Matrix4().compose(base, turn, scaled(4 * r, 4 * r, 0.5 * r)), steel, owner, "joints");
}

const symbolOf = {
  revolute: "pin", prismatic: "slider", cylindrical: "sleeve", universal: "cross", spherical: "ball", fixed: "weld",
  distance: "link", screw: "sleeve", "constant-velocity": "cross", planar: "disc", "point-on-line": "bead",
  "point-on-plane": "bead", "point-on-curve": "bead", gear: "none", coupling: "none", row: "none",
};

export function addJoint(scene, k, instances) {
  const joint = scene.joints[k];
  const carriers = joint.bodies.filter((b) => b >= 0);
  if (!joint.placed || carriers.length === 0 || !carriers.every((b) => scene.bodies[b].kept)) return;
  const owner = { kind: "joint", index: k };
  const side = joint.bodies[1] >= 0 ? 1 : 0;
  const r = 0.055 * scene.length;
  const frame = (s) => placed(joint.at[s], joint.axes[s]);
  const put = (primitive, s, x, y, z, colour = steel, at = [0, 0, 0], axes) =>
    instances.add(primitive, joint.bodies[s], frame(s).multiply(placed(at, axes, scaled(x, y, z))), colour, owner, "joints");
  const alongX = [Math.SQRT1_2, 0, Math.SQRT1_2, 0], alongY = [Math.SQRT1_2, -Math.SQRT1_2, 0, 0];
  const planar = scene.dimension === 2;
  const sliding = planar ? alongX : undefined;  // turns z to the axis of sliding
  if (joint.driver) {  // a ring around what it drives
    put("torus", side, 1.9 * r, 1.9 * r, 1.9 * r, "#d9822b");
    return;
  }
  switch (symbolOf[joint.type] ?? "mark") {
    case "pin":
      put("cylinder", side, r, r, 3.4 * r);
      if (!crowded(scene)) put("cylinder", side, 0.45 * r, 0.45 * r, 3.7 * r, metal);
      break;
    case "slider": {
      const rail = 0.5 * scene.length;
      const thin = planar ? [2 * rail, 0.5 * r, 0.5 * r] : [0.5 * r, 0.5 * r, 2 * rail];
      put("box", 0, ...thin, metal);
      const block = planar ? [3.2 * r, 2 * r, 2 * r] : [2 * r, 2 * r, 3.2 * r];
      put("box", 1, ...block);
      break;
    }
    case "sleeve":
      put("cylinder", 0, 0.4 * r, 0.4 * r, scene.length, metal, [0, 0, 0], sliding);
      put("cylinder", 1, 1.1 * r, 1.1 * r, 3.4 * r, steel, [0, 0, 0], sliding);
      if (joint.type === "screw")
        for (const z of [-1, 0, 1]) put("torus", 1, 1.25 * r, 1.25 * r, 1.25 * r, metal, [0, 0, z * r], sliding);
      break;
    case "cross":
      put("cylinder", 0, 0.5 * r, 0.5 * r, 3.6 * r, steel, [0, 0, 0], alongX);
      put("cylinder", 1, 0.5 * r, 0.5 * r, 3.6 * r, metal, [0, 0, 0], alongY);
      put("sphere", side, 0.8 * r, 0.8 * r, 0.8 * r);
      break;
    case "ball":
      put("sphere", side, 1.15 * r, 1.15 * r, 1.15 * r, metal);
      put("torus", 1 - side, 1.15 * r, 1.15 * r, 1.15 * r);
      break;
    case "weld":
      put("box", side, 1.8 * r, 1.8 * r, 1.8 * r);
      break;
    case "disc":
      put("cylinder", side, 1.8 * r, 1.8 * r, 0.3 * r, metal);
      put("sphere", side, 0.6 * r, 0.6 * r, 0.6 * r);
      break;
    case "bead":
      put("sphere", 1, 0.9 * r, 0.9 * r, 0.9 * r);
      break;
    case "link": {
      const a = new THREE.Vector3(), b = new THREE.Vector3();
      const place = (matrix, poses) =>
        spanning(poses.point(joint.bodies[0], joint.at[0], a), poses.point(joint.bodies[1], joint.at[1], b), 0.28 * r, matrix);
      instances.addFree("cylinder", place, steel, owner, "joints");
      for (const s of [0, 1]) put("sphere", s, 0.7 * r, 0.7 * r, 0.7 * r);
      break;
    }
    case "none": return;
    default:
      put("octahedron", side, 0.8 * r, 0.8 * r, 0.8 * r);
  }
  const grounded = joint.bodies.indexOf(-1);
  if (grounded >= 0 && ["pin", "ball", "cross", "link"].includes(symbolOf[joint.type]))
    addFoot(scene, joint, grounded, r, instances, { ...owner, plain: true });
}

// A spring: rings along the line between its two points.
export function addSpring(scene, spring, instances) {
  const a = new THREE.Vector3(), b = new THREE.Vector3(), turn = new THREE.Quaternion(), along = new THREE.Vector3();
  const z = new THREE.Vector3(0, 0, 1), r = 0.09 * scene.length, rings = 9;
  const ends = (poses) => {
    poses.point(spring.bodies[0], spring.at[0], a);
    poses.point(spring.bodies[1], spring.at[1], b);
  };
  const core = (matrix, poses) => (ends(poses), spanning(a, b, 0.25 * r, matrix));
  instances.addFree("cylinder", core, metal, null, "joints");
  for (let k = 1; k <= rings; ++k)
    instances.addFree("torus", (matrix, poses) => {
      ends(poses);
      along.subVectors(b, a).normalize();
      turn.setFromUnitVectors(z, along);
      return matrix.compose(a.clone().lerp(b, k / (rings + 1)), turn, scaled(r, r, r));
    }, "#6b8f3a", null, "joints");
}
