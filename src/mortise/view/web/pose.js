// Poses of all bodies as matrices (column-major 4 × 4, as WebGL has them): of a frame, between two frames, or swung out
// along a free motion.

export class Poses {
  constructor(scene) {
    this.planar = scene.dimension === 2;
    this.count = scene.bodies.length;
    this.width = this.planar ? 3 : 7;
    this.matrices = new Float32Array(16 * (this.count + 1));  // the last is the ground
    for (let b = 0; b <= this.count; ++b) for (const k of [0, 5, 10, 15]) this.matrices[16 * b + k] = 1;
  }

  offset(body) {
    return 16 * (body < 0 ? this.count : body);
  }

  // The world point of `at` (three numbers in the body's frame).
  point(body, at, out) {
    const m = this.matrices, o = this.offset(body);
    return out.set(
      m[o] * at[0] + m[o + 4] * at[1] + m[o + 8] * at[2] + m[o + 12],
      m[o + 1] * at[0] + m[o + 5] * at[1] + m[o + 9] * at[2] + m[o + 13],
      m[o + 2] * at[0] + m[o + 6] * at[1] + m[o + 10] * at[2] + m[o + 14]);
  }

  // From frame a, a share s of the way to frame b.
  between(a, b, s) {
    for (let body = 0; body < this.count; ++body) {
      const k = body * this.width;
      if (this.planar) {
        const mix = (i) => a[k + i] + s * (b[k + i] - a[k + i]);
        this.setPlanar(body, mix(0), mix(1), mix(2));
      } else {
        const same = a[k + 3] * b[k + 3] + a[k + 4] * b[k + 4] + a[k + 5] * b[k + 5] + a[k + 6] * b[k + 6] < 0 ? -1 : 1;
        const turn = (i) => (1 - s) * a[k + i] + s * same * b[k + i];
        const mix = (i) => a[k + i] + s * (b[k + i] - a[k + i]);
        this.setSpatial(body, mix(0), mix(1), mix(2), turn(3), turn(4), turn(5), turn(6));
      }
    }
  }

  setPlanar(body, x, y, angle) {
    const m = this.matrices, o = 16 * body, c = Math.cos(angle), s = Math.sin(angle);
    m[o] = c, m[o + 1] = s, m[o + 4] = -s, m[o + 5] = c, m[o + 12] = x, m[o + 13] = y;
  }

  setSpatial(body, x, y, z, qw, qx, qy, qz) {
    const m = this.matrices, o = 16 * body, n = 2 / (qw * qw + qx * qx + qy * qy + qz * qz);
    m[o] = 1 - n * (qy * qy + qz * qz), m[o + 1] = n * (qx * qy + qw * qz), m[o + 2] = n * (qx * qz - qw * qy);
    m[o + 4] = n * (qx * qy - qw * qz), m[o + 5] = 1 - n * (qx * qx + qz * qz), m[o + 6] = n * (qy * qz + qw * qx);
    m[o + 8] = n * (qx * qz + qw * qy), m[o + 9] = n * (qy * qz - qw * qx), m[o + 10] = 1 - n * (qx * qx + qy * qy);
    m[o + 12] = x, m[o + 13] = y, m[o + 14] = z;
  }

  // A frame moved along a free motion by `s`: r + s v, turned by the rotation vector s ω.
  along(frame, mode, s) {
    this.between(frame, frame, 0);
    const m = this.matrices;
    for (let body = 0; body < this.count; ++body) {
      const [vx, vy, vz, wx, wy, wz] = mode.v[body], o = 16 * body;
      const w = Math.hypot(wx, wy, wz), angle = w * s;
      if (w > 0) {
        const c = Math.cos(angle), sn = Math.sin(angle), x = wx / w, y = wy / w, z = wz / w;
        for (const k of [0, 4, 8]) {
          const a = m[o + k], b = m[o + k + 1], d = m[o + k + 2], dot = (1 - c) * (x * a + y * b + z * d);
          m[o + k] = c * a + sn * (y * d - z * b) + dot * x;
          m[o + k + 1] = c * b + sn * (z * a - x * d) + dot * y;
          m[o + k + 2] = c * d + sn * (x * b - y * a) + dot * z;
        }
      }
      m[o + 12] += s * vx, m[o + 13] += s * vy, m[o + 14] += s * vz;
    }
  }
}
