// Light, floor and grid. Spatial models stand on a floor below everything; planar ones hang before a wall.

export const themes = {
  light: { background: "#eef1f5", grid: "#6b7a8c", shadow: 0.16, sky: "#ffffff", soil: "#c9ced6", hemi: 1.7, sun: 2.1 },
  dark: { background: "#14181e", grid: "#8ba0b8", shadow: 0.5, sky: "#dfe9f5", soil: "#2a313b", hemi: 1.2, sun: 2.3 },
};

// 1, 2 or 5 times a power of ten, at least x.
export function roundStep(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return [1, 2, 5, 10].map((k) => k * power).find((step) => step >= x * 0.999);
}

export class Backdrop {
  constructor(three, scene, shadows) {
    // What travels far is shown as it starts, and followed.
    const boxOf = ({ min, max }) => new THREE.Box3(new THREE.Vector3(...min), new THREE.Vector3(...max));
    const size = (box) => box.getSize(new THREE.Vector3()).length();
    const whole = boxOf(scene.extent), start = boxOf(scene.start);
    this.travels = size(whole) > 4 * Math.max(size(start), scene.length);
    this.box = this.travels ? start : whole;
    this.center = this.box.getCenter(new THREE.Vector3());
    this.radius = Math.max(this.box.getSize(new THREE.Vector3()).length() / 2, 0.6 * scene.length);
    const up = new THREE.Vector3(...scene.up);
    const planar = scene.dimension === 2;
    this.normal = planar ? new THREE.Vector3(0, 0, 1) : up.clone();
    this.up = up;

    this.hemisphere = new THREE.HemisphereLight();
    this.hemisphere.position.copy(planar ? new THREE.Vector3(0, 1, 0.4) : up);
    this.sun = new THREE.DirectionalLight();
    three.add(this.hemisphere, this.sun, this.sun.target);
    this.sun.castShadow = shadows;

    const level = this.floorLevel(scene, planar);
    this.plane = new THREE.Group();
    this.plane.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), this.normal);
    this.plane.position.copy(this.center).addScaledVector(this.normal, level - this.center.dot(this.normal));
    this.home = this.plane.position.clone();
    const floor = new THREE.Mesh(new THREE.PlaneGeometry(60 * this.radius, 60 * this.radius), new THREE.ShadowMaterial());
    floor.receiveShadow = true;
    this.floor = floor;
    this.grid = fadingGrid(this.radius);
    this.plane.add(floor, this.grid);
    three.add(this.plane);
    this.placeSun(planar);
  }

  floorLevel(scene, planar) {
    if (planar) return -0.22 * scene.length;
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => new THREE.Vector3(
      k & 1 ? this.box.max.x : this.box.min.x, k & 2 ? this.box.max.y : this.box.min.y, k & 4 ? this.box.max.z : this.box.min.z));
    return Math.min(...corners.map((c) => c.dot(this.normal))) - 0.17 * scene.length;
  }

  placeSun(planar) {
    const side = new THREE.Vector3(1, 0, 0).applyQuaternion(this.plane.quaternion);
    const front = new THREE.Vector3(0, 1, 0).applyQuaternion(this.plane.quaternion);
    const from = planar
      ? new THREE.Vector3(-0.35, 0.55, 1)
      : this.normal.clone().addScaledVector(side, 0.45).addScaledVector(front, -0.35);
    this.sunward = from.normalize();
    this.sun.position.copy(this.center).addScaledVector(this.sunward, 4 * this.radius);
    this.sun.target.position.copy(this.center);
    const camera = this.sun.shadow.camera, reach = 1.7 * this.radius;
    Object.assign(camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1 * this.radius, far: 9 * this.radius });
    camera.updateProjectionMatrix();
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = 0.004 * this.radius;
    this.sun.shadow.radius = 5;
  }

  // The middle of what is looked at has moved: grid and light come along, the grid by whole cells.
  moveTo(target) {
    const step = this.grid.userData.step, away = target.clone().sub(this.center);
    const right = new THREE.Vector3(1, 0, 0).applyQuaternion(this.plane.quaternion);
    const ahead = new THREE.Vector3(0, 1, 0).applyQuaternion(this.plane.quaternion);
    const snap = (x) => Math.round(x / step) * step;
    this.plane.position.copy(this.home)
      .addScaledVector(right, snap(away.dot(right))).addScaledVector(ahead, snap(away.dot(ahead)));
    this.sun.target.position.copy(target);
    this.sun.position.copy(target).addScaledVector(this.sunward, 4 * this.radius);
  }

  dress(theme) {
    this.hemisphere.color.set(theme.sky);
    this.hemisphere.groundColor.set(theme.soil);
    this.hemisphere.intensity = theme.hemi;
    this.sun.intensity = theme.sun;
    this.floor.material.opacity = theme.shadow;
    this.grid.material.color.set(theme.grid);
  }
}

// Lines of a round spacing that fade out with the distance from the middle.
function fadingGrid(radius) {
  const step = roundStep(radius / 4), cells = Math.ceil((5 * radius) / step), positions = [], colours = [];
  const reach = cells * step;
  const strength = (x, y, main) => Math.max(0, 1 - Math.hypot(x, y) / reach) ** 1.6 * (main ? 0.5 : 0.24);
  const vertex = (x, y, main) => (positions.push(x, y, 0), colours.push(1, 1, 1, strength(x, y, main)));
  for (let line = -cells; line <= cells; ++line)
    for (let cell = -cells; cell < cells; ++cell) {
      const a = line * step, b = cell * step, main = line % 5 === 0;
      vertex(a, b, main), vertex(a, b + step, main), vertex(b, a, main), vertex(b + step, a, main);
    }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(positions), 3));
  geometry.setAttribute("color", new THREE.BufferAttribute(new Float32Array(colours), 4));
  const grid = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }));
  grid.userData.step = step;
  return grid;
}
