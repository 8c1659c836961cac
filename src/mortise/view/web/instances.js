// Everything that moves with a body, drawn by a handful of calls: one instanced mesh a primitive, and for each instance
// the body it rides on, its place there and who owns it (for colours and clicks).
import { mergedMesh } from "./merged.js";

const primitives = {
  box: () => new THREE.BoxGeometry(1, 1, 1),
  sphere: () => new THREE.SphereGeometry(1, 24, 16),
  cylinder: () => new THREE.CylinderGeometry(1, 1, 1, 28).rotateX(Math.PI / 2),
  cone: () => new THREE.ConeGeometry(1, 1, 24).rotateX(Math.PI / 2),
  torus: () => new THREE.TorusGeometry(1, 0.16, 10, 32),
  octahedron: () => new THREE.OctahedronGeometry(1),
};

// A cylinder of six sides with no more vertices than that needs.
function stick() {
  const points = [], normals = [], corners = [], sides = 6;
  for (const z of [-0.5, 0.5])
    for (let k = 0; k < sides; ++k) {
      const x = Math.cos((2 * Math.PI * k) / sides), y = Math.sin((2 * Math.PI * k) / sides);
      points.push(x, y, z), normals.push(x, y, 0);
    }
  points.push(0, 0, -0.5, 0, 0, 0.5), normals.push(0, 0, -1, 0, 0, 1);
  for (let k = 0, top = sides, end = 2 * sides; k < sides; ++k) {
    const next = (k + 1) % sides;
    corners.push(k, next, top + k, next, top + next, top + k, end, next, k, end + 1, top + k, top + next);
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(points), 3));
  geometry.setAttribute("normal", new THREE.BufferAttribute(new Float32Array(normals), 3));
  geometry.setIndex(corners);
  return geometry;
}

// Of many instances each gets fewer triangles.
const crowd = 400;
const coarse = {
  sphere: () => new THREE.SphereGeometry(1, 8, 5),
  cylinder: stick,
  cone: () => new THREE.ConeGeometry(1, 1, 6).rotateX(Math.PI / 2),
  torus: () => new THREE.TorusGeometry(1, 0.16, 4, 10),
};

const unitScale = new THREE.Vector3(1, 1, 1);

export function placed(at, axes = [1, 0, 0, 0], scale = unitScale) {
  const turn = new THREE.Quaternion(axes[1], axes[2], axes[3], axes[0]);
  return new THREE.Matrix4().compose(new THREE.Vector3(...at), turn, scale);
}

// The matrix of a cylinder (along z, of length one) between two points.
const zAxis = new THREE.Vector3(0, 0, 1);
const span = new THREE.Vector3(), spanTurn = new THREE.Quaternion(), spanMiddle = new THREE.Vector3();
const spanScale = new THREE.Vector3();
export function spanning(from, to, radius, out = new THREE.Matrix4()) {
  span.subVectors(to, from);
  const length = span.length();
  spanTurn.setFromUnitVectors(zAxis, length > 0 ? span.divideScalar(length) : zAxis);
  spanMiddle.addVectors(from, to).multiplyScalar(0.5);
  return out.compose(spanMiddle, spanTurn, spanScale.set(radius, radius, Math.max(length, 1e-9)));
}

export class Instances {
  constructor() {
    this.items = new Map();  // "primitive" → [{body, local, colour, owner, free}]
    this.meshes = [];
    this.group = new THREE.Group();
  }

  // Rides on a body. `layer` groups what is switched on and off together.
  add(primitive, body, local, colour, owner, layer = "bodies") {
    return this.put(primitive, { body, local, colour: new THREE.Color(colour), owner, layer });
  }

  // Has its own matrix each frame: `place(matrix, poses)` writes it, or returns false to hide it.
  addFree(primitive, place, colour, owner, layer) {
    return this.put(primitive, { place, local: new THREE.Matrix4(), colour: new THREE.Color(colour), owner, layer });
  }

  put(primitive, item) {
    const key = primitive + " " + item.layer;
    if (!this.items.has(key)) this.items.set(key, []);
    this.items.get(key).push(item);
    item.primitive = primitive;
    return item;
  }

  // `software`: the processor draws, and each instance of a crowd would be a drawing of its own.
  build(shadows, software) {
    for (const [key, items] of this.items) {
      const [primitive, layer] = key.split(" ");
      const geometry = (items.length > crowd && coarse[primitive] ? coarse : primitives)[primitive]();
      const glow = layer === "reactions";
      const material = new THREE.MeshStandardMaterial({ roughness: glow ? 0.9 : 0.55, metalness: 0.05 });
      // Arrows lie over the bodies: a rod's own force would else be hidden inside it.
      if (glow) Object.assign(material, { depthTest: false, depthWrite: false, transparent: true, opacity: 0.9 });
      const merged = software && items.length > crowd;
      const mesh = merged ? mergedMesh(geometry, material, items.length) : new THREE.InstancedMesh(geometry, material, items.length);
      if (!merged) mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
      if (glow) mesh.renderOrder = 1;
      mesh.frustumCulled = false;
      mesh.castShadow = shadows && !glow;
      mesh.receiveShadow = mesh.castShadow;
      mesh.userData = { items, layer };
      items.forEach((item, k) => mesh.setColorAt(k, item.colour));
      this.meshes.push(mesh);
      this.group.add(mesh);
    }
  }

  show(layer, on) {
    for (const mesh of this.meshes) if (mesh.userData.layer === layer) mesh.visible = on;
  }

  update(poses) {
    const hidden = new THREE.Matrix4().makeScale(0, 0, 0);
    for (const mesh of this.meshes) {
      if (!mesh.visible) continue;
      const out = mesh.instanceMatrix.array, items = mesh.userData.items, B = poses.matrices;
      for (let k = 0; k < items.length; ++k) {
        const item = items[k], o = 16 * k;
        if (item.place) {
          (item.place(item.local, poses) === false ? hidden : item.local).toArray(out, o);
          continue;
        }
        // B · L for affine matrices, without a temporary.
        const L = item.local.elements, b = poses.offset(item.body);
        for (let c = 0; c < 16; c += 4) {
          const x = L[c], y = L[c + 1], z = L[c + 2], w = c === 12 ? 1 : 0;
          out[o + c] = B[b] * x + B[b + 4] * y + B[b + 8] * z + B[b + 12] * w;
          out[o + c + 1] = B[b + 1] * x + B[b + 5] * y + B[b + 9] * z + B[b + 13] * w;
          out[o + c + 2] = B[b + 2] * x + B[b + 6] * y + B[b + 10] * z + B[b + 14] * w;
          out[o + c + 3] = w;
        }
      }
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.moved) mesh.moved();
      else mesh.boundingSphere = null;
    }
  }

  // Whose instance a ray has hit.
  static ownerOf({ object, instanceId, faceIndex }) {
    const { items } = object.userData;
    return items[instanceId ?? Math.floor(faceIndex / object.trianglesEach)].owner;
  }

  // `colourOf(owner)` gives another colour than an item's own, or null.
  recolour(colourOf) {
    const other = new THREE.Color();
    for (const mesh of this.meshes) {
      mesh.userData.items.forEach((item, k) => {
        const colour = colourOf(item.owner);
        mesh.setColorAt(k, colour ? other.set(colour) : item.colour);
      });
      mesh.instanceColor.needsUpdate = true;
    }
  }

  // What is drawn of an item: layer, matrix and colour of each of its instances, as the graphics card has them.
  drawnOf(owner) {
    const found = [];
    for (const mesh of this.meshes) {
      if (!mesh.visible) continue;
      const { items, layer } = mesh.userData;
      items.forEach((item, k) => {
        if (item.owner?.kind !== owner.kind || item.owner.index !== owner.index) return;
        const colour = new THREE.Color().fromArray(mesh.instanceColor.array, 3 * k);
        found.push({ layer, primitive: item.primitive, matrix: [...mesh.instanceMatrix.array.slice(16 * k, 16 * k + 16)],
                     colour: `#${colour.getHexString()}` });
      });
    }
    return found;
  }
}
