// Crease-angle normals: smooth where faces meet at less than the crease angle, sharp elsewhere.
//
// Corners at the same position and with the same normal share a vertex of the result. The normal of a corner is the sum of
// the area-weighted normals of the faces around its position that make less than the crease angle with its own face.
// Cost: sum of squares of the numbers of faces around the vertices; a vertex with more than `MAX_VALENCE` faces stays sharp.

const MAX_VALENCE = 64;

export interface Shaded {
  positions: Float32Array;
  normals: Float32Array;
  indices: Uint32Array;
}

/** Maps each vertex to the first vertex at the same position. */
export function weld(vertices: Float32Array): Uint32Array {
  const n = vertices.length / 3;
  const bits = new Uint32Array(vertices.buffer, vertices.byteOffset, vertices.length);
  let capacity = 16;
  while (capacity < 2 * n) capacity *= 2;
  const table = new Int32Array(capacity).fill(-1);
  const first = new Uint32Array(n);
  const NEGATIVE_ZERO = 0x80000000;
  const key = (i: number): number => (bits[i] === NEGATIVE_ZERO ? 0 : bits[i]!);
  for (let v = 0; v < n; v++) {
    const [x, y, z] = [key(3 * v), key(3 * v + 1), key(3 * v + 2)];
    let hash = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca6b) ^ Math.imul(z, 0xc2b2ae35);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    let slot = (hash ^ (hash >>> 13)) & (capacity - 1);
    for (;;) {
      const other = table[slot]!;
      if (other < 0) {
        table[slot] = v;
        first[v] = v;
        break;
      }
      if (key(3 * other) === x && key(3 * other + 1) === y && key(3 * other + 2) === z) {
        first[v] = other;
        break;
      }
      slot = (slot + 1) & (capacity - 1);
    }
  }
  return first;
}

/** Computes positions, normals and indices for drawing. */
export function shade(vertices: Float32Array, triangles: Uint32Array, crease_degrees = 32): Shaded {
  const m = triangles.length / 3;
  const cos_crease = Math.cos((crease_degrees * Math.PI) / 180);
  const first = weld(vertices);
  const face_normals = area_normals(vertices, triangles);
  const lengths = new Float32Array(m);
  for (let f = 0; f < m; f++) lengths[f] = Math.hypot(face_normals[3 * f]!, face_normals[3 * f + 1]!, face_normals[3 * f + 2]!);

  // Corners by welded vertex, in one list.
  const n = vertices.length / 3;
  const start = new Uint32Array(n + 1);
  for (const v of triangles) start[first[v]! + 1]!++;
  for (let v = 0; v < n; v++) start[v + 1]! += start[v]!;
  const fill = start.slice(0, n);
  const corners = new Uint32Array(3 * m);
  for (let c = 0; c < 3 * m; c++) corners[fill[first[triangles[c]!]!]!++] = c;

  const positions: number[] = [];
  const normals: number[] = [];
  const indices = new Uint32Array(3 * m);
  for (let v = 0; v < n; v++) {
    const [from, to] = [start[v]!, start[v + 1]!];
    const emitted_from = normals.length / 3;
    for (let i = from; i < to; i++) {
      const corner = corners[i]!;
      const f = (corner / 3) | 0;
      const length = lengths[f]! || 1;
      let [x, y, z] = [face_normals[3 * f]! / length, face_normals[3 * f + 1]! / length, face_normals[3 * f + 2]! / length];
      if (to - from <= MAX_VALENCE && lengths[f]! > 0) {
        let [sx, sy, sz] = [0, 0, 0];
        for (let j = from; j < to; j++) {
          const g = (corners[j]! / 3) | 0;
          const [gx, gy, gz] = [face_normals[3 * g]!, face_normals[3 * g + 1]!, face_normals[3 * g + 2]!];
          if (x * gx + y * gy + z * gz >= cos_crease * lengths[g]!) {
            sx += gx;
            sy += gy;
            sz += gz;
          }
        }
        const sum = Math.hypot(sx, sy, sz);
        if (sum > 0) [x, y, z] = [sx / sum, sy / sum, sz / sum];
      }
      // Share a vertex that has this normal already; only few differ at one position.
      let found = -1;
      const emitted_to = normals.length / 3;
      for (let e = Math.max(emitted_from, emitted_to - 8); e < emitted_to; e++) {
        if (Math.abs(normals[3 * e]! - x) + Math.abs(normals[3 * e + 1]! - y) + Math.abs(normals[3 * e + 2]! - z) < 1e-4) {
          found = e;
          break;
        }
      }
      if (found < 0) {
        found = emitted_to;
        normals.push(x, y, z);
        positions.push(vertices[3 * v]!, vertices[3 * v + 1]!, vertices[3 * v + 2]!);
      }
      indices[corner] = found;
    }
  }
  return { positions: new Float32Array(positions), normals: new Float32Array(normals), indices };
}

/** Normals of faces, as long as twice the area. */
function area_normals(vertices: Float32Array, triangles: Uint32Array): Float32Array {
  const out = new Float32Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t]!, 3 * triangles[t + 1]!, 3 * triangles[t + 2]!];
    const [ux, uy, uz] = [vertices[b]! - vertices[a]!, vertices[b + 1]! - vertices[a + 1]!, vertices[b + 2]! - vertices[a + 2]!];
    const [vx, vy, vz] = [vertices[c]! - vertices[a]!, vertices[c + 1]! - vertices[a + 1]!, vertices[c + 2]! - vertices[a + 2]!];
    out[t] = uy * vz - uz * vy;
    out[t + 1] = uz * vx - ux * vz;
    out[t + 2] = ux * vy - uy * vx;
  }
  return out;
}
