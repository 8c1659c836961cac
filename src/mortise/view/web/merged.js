// Many instances as one plain mesh, for pictures that the processor draws: there every instance costs as much as a drawing of
// its own, one after the other (16 µs with SwiftShader), whereas the triangles of one mesh are shared out among the processors.
// The page moves the vertices itself. To its callers such a mesh is like an InstancedMesh; after `instanceMatrix` was written
// they call `moved`.

export function mergedMesh(geometry, material, count) {
  const points = geometry.getAttribute("position").array, normals = geometry.getAttribute("normal").array;
  const corners = geometry.getIndex()?.array ?? Uint32Array.from({ length: points.length / 3 }, (_, k) => k);
  const each = points.length / 3, whole = new THREE.BufferGeometry();
  const attribute = (name) => {
    const made = new THREE.BufferAttribute(new Float32Array(3 * each * count), 3);
    made.setUsage(THREE.DynamicDrawUsage);
    whole.setAttribute(name, made);
    return made;
  };
  const position = attribute("position"), normal = attribute("normal"), color = attribute("color");
  const index = new Uint32Array(corners.length * count);
  for (let k = 0; k < count; ++k)
    for (let c = 0; c < corners.length; ++c) index[k * corners.length + c] = k * each + corners[c];
  whole.setIndex(new THREE.BufferAttribute(index, 1));
  material.vertexColors = true;

  const mesh = new THREE.Mesh(whole, material);
  mesh.trianglesEach = corners.length / 3;
  mesh.instanceMatrix = { array: new Float32Array(16 * count) };
  mesh.instanceColor = { array: new Float32Array(3 * count) };
  mesh.setColorAt = (k, colour) => {
    colour.toArray(mesh.instanceColor.array, 3 * k);
    for (let v = k * each; v < (k + 1) * each; ++v) colour.toArray(color.array, 3 * v);
    color.needsUpdate = true;
  };
  mesh.moved = () => {
    const M = mesh.instanceMatrix.array, P = position.array, N = normal.array;
    for (let k = 0, out = 0; k < count; ++k) {
      const m = 16 * k;
      const ax = M[m], ay = M[m + 1], az = M[m + 2], bx = M[m + 4], by = M[m + 5], bz = M[m + 6];
      const cx = M[m + 8], cy = M[m + 9], cz = M[m + 10], dx = M[m + 12], dy = M[m + 13], dz = M[m + 14];
      // Rotation times scales: normals go by the inverse scales.
      const a = 1 / (ax * ax + ay * ay + az * az || 1), b = 1 / (bx * bx + by * by + bz * bz || 1);
      const c = 1 / (cx * cx + cy * cy + cz * cz || 1);
      for (let v = 0; v < 3 * each; v += 3, out += 3) {
        const x = points[v], y = points[v + 1], z = points[v + 2];
        P[out] = ax * x + bx * y + cx * z + dx;
        P[out + 1] = ay * x + by * y + cy * z + dy;
        P[out + 2] = az * x + bz * y + cz * z + dz;
        const u = a * normals[v], s = b * normals[v + 1], w = c * normals[v + 2];
        N[out] = ax * u + bx * s + cx * w;
        N[out + 1] = ay * u + by * s + cy * w;
        N[out + 2] = az * u + bz * s + cz * w;
      }
    }
    position.needsUpdate = normal.needsUpdate = true;
    whole.boundingSphere = whole.boundingBox = null;
  };
  return mesh;
}
