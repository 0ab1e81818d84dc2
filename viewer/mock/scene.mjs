// Synthetic scene of the mock server: bouncing cubes and balls, a cloth, a visitor, and two blocks that intersect.
// The motion is a formula of time, plus offsets that hands leave behind; no physics is meant.
import { Bytes, frame_bytes, section } from './bytes.mjs';

const STEP = 1 / 60;
const CLOTH = 17;
export const STAGES = ['free flight', 'broad phase', 'narrow phase', 'response', 'integration'];

function box_mesh(hx, hy, hz) {
  const vertices = Array.from({ length: 8 }, (_, i) => [i & 1 ? hx : -hx, i & 2 ? hy : -hy, i & 4 ? hz : -hz]);
  const quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
  const triangles = quads.flatMap(([a, b, c, d]) => [[a, b, c], [a, c, d]]);
  const edges = [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7]];
  return { vertices, triangles, edges };
}

function ball_mesh(radius, rings = 14, sectors = 24) {
  const vertices = [[0, 0, radius]];
  for (let r = 1; r < rings; r++) {
    for (let s = 0; s < sectors; s++) {
      const [t, p] = [(Math.PI * r) / rings, (2 * Math.PI * s) / sectors];
      vertices.push([radius * Math.sin(t) * Math.cos(p), radius * Math.sin(t) * Math.sin(p), radius * Math.cos(t)]);
    }
  }
  vertices.push([0, 0, -radius]);
  const at = (r, s) => 1 + (r - 1) * sectors + (s % sectors);
  const triangles = [];
  for (let s = 0; s < sectors; s++) {
    triangles.push([0, at(1, s), at(1, s + 1)], [vertices.length - 1, at(rings - 1, s + 1), at(rings - 1, s)]);
    for (let r = 1; r < rings - 1; r++) triangles.push([at(r, s), at(r + 1, s), at(r + 1, s + 1)], [at(r, s), at(r + 1, s + 1), at(r, s + 1)]);
  }
  return { vertices, triangles, edges: [] };
}

function cloth_mesh(size) {
  const vertices = [];
  const triangles = [];
  for (let j = 0; j < CLOTH; j++) for (let i = 0; i < CLOTH; i++) vertices.push([((i / (CLOTH - 1)) - 0.5) * size, ((j / (CLOTH - 1)) - 0.5) * size, 0]);
  const at = (i, j) => j * CLOTH + i;
  for (let j = 0; j + 1 < CLOTH; j++) for (let i = 0; i + 1 < CLOTH; i++) triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
  const edges = [];
  for (let i = 0; i + 1 < CLOTH; i++) edges.push([at(i, 0), at(i + 1, 0)], [at(i, CLOTH - 1), at(i + 1, CLOTH - 1)], [at(0, i), at(0, i + 1)], [at(CLOTH - 1, i), at(CLOTH - 1, i + 1)]);
  return { vertices, triangles, edges };
}

const quaternion = (axis, angle) => {
  const l = Math.hypot(...axis);
  return [...axis.map((a) => (a / l) * Math.sin(angle / 2)), Math.cos(angle / 2)];
};
const rotate = ([x, y, z, w], [a, b, c]) => {
  const t = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)];
  return [a + w * t[0] + y * t[2] - z * t[1], b + w * t[1] + z * t[0] - x * t[2], c + w * t[2] + x * t[1] - y * t[0]];
};
const noise = (i) => { const s = Math.sin(i * 127.1 + 11.7) * 43758.5453; return s - Math.floor(s); };

/** Builds the scene: JSON, meshes, and a function from a step to poses. */
export function make_scene({ count = 60, mode = 'run', read_only = false, control = null, steps = 1200 }) {
  const meshes = [box_mesh(0.5, 0.5, 0.5), ball_mesh(0.55), box_mesh(1, 1, 0.1), cloth_mesh(4), box_mesh(0.9, 0.35, 0.8), box_mesh(0.45, 0.9, 0.45)];
  const side = Math.ceil(Math.sqrt(count));
  const half = side * 0.9 + 3;
  meshes[2] = box_mesh(half, half, 0.1);
  const kind = (name) => (mode === 'files' ? 'part' : name);
  const bodies = [
    { name: 'floor', kind: kind('static'), mesh: 2, shape: 'box', mass: null },
    { name: 'visitor', kind: kind('kinematic'), mesh: 4, shape: 'box', mass: null },
    { name: 'cloth', kind: kind('soft'), mesh: 3, shape: 'mesh', mass: 0.4 },
    { name: 'block a', kind: kind('static'), mesh: 4, shape: 'box', mass: null },
    { name: 'block b', kind: kind('static'), mesh: 5, shape: 'box', mass: null },
  ];
  const rest = [[0, 0, -0.1], [-half + 1.5, 0, 0.8], [half - 2.4, half - 2.4, 2.2], [half - 2.2, -half + 2, 0.8], [half - 1.9, -half + 2.1, 1.2]];
  for (let i = 0; i < count; i++) {
    const ball = i % 3 === 2;
    bodies.push({ name: `${ball ? 'ball' : 'cube'} ${i}`, kind: kind('dynamic'), mesh: ball ? 1 : 0, shape: ball ? 'sphere' : 'box', mass: ball ? 5.2 : 8 });
    rest.push([((i % side) - (side - 1) / 2) * 1.8, (Math.floor(i / side) - (side - 1) / 2) * 1.8, 0.5]);
  }
  bodies[5].colour = '#7fb08a';
  const json = {
    protocol: 1, mode, title: mode === 'files' ? 'two_blocks.obj' : 'bouncing_cubes.toml', unit: 'm', read_only, control, step: STEP, steps, up: [0, 0, 1],
    bounds: { min: [-half, -half, -0.2], max: [half, half, 4] }, stages: STAGES, meshes: meshes.length, bodies,
    layers: [
      { name: 'contacts', label: 'Contacts', kinds: [] },
      { name: 'triangles', label: 'Colliding triangles', kinds: [5] },
      { name: 'trees', label: 'Bounding volumes of trees', levels: 6, kinds: [8] },
      { name: 'broad-phase', label: 'Broad phase', kinds: [9] },
      { name: 'swept', label: 'Swept volumes', kinds: [10] },
      { name: 'planes', label: 'Separating planes', kinds: [11] },
      { name: 'faults', label: 'Faults', kinds: [13] },
    ],
  };
  const asleep = (i) => i >= 5 && (i - 5) % 7 === 3;

  /** Poses, vertices and contacts of a step. */
  function pose_at(step, offsets) {
    const t = step * STEP;
    const poses = rest.map((at, i) => {
      if (i < 5 || mode === 'files') return [...at, ...(i === 4 ? quaternion([0, 0, 1], 0.5) : [0, 0, 0, 1])];
      const period = 1.1 + noise(i);
      const phase = ((t + period * noise(i + 0.5)) % period) / period;
      const z = asleep(i) ? 0.5 : 0.5 + (1 + 1.6 * noise(i + 0.3)) * 4 * phase * (1 - phase);
      return [at[0], at[1], z, ...(asleep(i) ? [0, 0, 0, 1] : quaternion([noise(i) - 0.5, noise(i + 1) - 0.5, 0.4], t * (0.6 + noise(i + 2))))];
    });
    offsets.forEach((o, i) => { if (o) for (let c = 0; c < 3; c++) poses[i][c] += o[c]; });
    return poses;
  }

  /** Sections of a step, of the layers that some page shows. */
  function frame(header, poses, { on, level, held }) {
    const t = header.step * STEP;
    const n = bodies.length;
    const sections = [section('POSE', n, new Bytes().f32(...poses.flat()))];
    const touches = poses.map((p, i) => i >= 5 && p[2] < 0.62);
    sections.push(section('STAT', n, new Bytes().u8(...poses.map((_, i) => (asleep(i) ? 1 : 0) | (touches[i] || i === 3 || i === 4 ? 2 : 0) | (held.has(i) ? 4 : 0)))));
    if (mode === 'run') {
      const flat = [];
      for (const [x, y] of meshes[3].vertices) flat.push(x, y, 0.35 * Math.sin(1.6 * x + 2.2 * t) * Math.cos(1.3 * y - 1.4 * t));
      sections.push(section('VERT', 1, new Bytes().u32(2, flat.length / 3).f32(...flat)));
    }
    if (on.has('contacts')) {
      const b = new Bytes();
      let count = 0;
      touches.forEach((touch, i) => {
        if (!touch) return;
        const kind = asleep(i) ? 1 : Math.sin(t * 3 + i) > 0 ? 0 : 2;
        b.u32(i, 0, kind).f32(poses[i][0], poses[i][1], 0, 0, 0, -1, poses[i][2] - 0.55, kind === 2 ? 0 : 1 + 4 * noise(i)).u32(0);
        count++;
      });
      if (count) sections.push(section('CONT', count, b));
    }
    if (on.has('triangles')) {
      const b = new Bytes();
      let count = 0;
      for (const body of [3, 4]) {
        const mesh = meshes[bodies[body].mesh];
        const at = poses[body];
        for (const tri of mesh.triangles.slice(2, 8)) {
          b.u32(body).f32(...tri.flatMap((v) => rotate(at.slice(3), mesh.vertices[v]).map((c, k) => c + at[k])));
          count++;
        }
      }
      sections.push(section('TRIS', count, b));
    }
    const boxes = new Bytes();
    let box_count = 0;
    poses.forEach((p, i) => {
      if (i < 5) return;
      const r = 0.75;
      if (on.has('broad-phase')) { boxes.f32(p[0] - r, p[1] - r, p[2] - r, p[0] + r, p[1] + r, p[2] + r).u32(9); box_count++; }
      if (on.has('swept')) { boxes.f32(p[0] - 0.5, p[1] - 0.5, p[2] - 0.6, p[0] + 0.5, p[1] + 0.5, p[2] + 0.9).u32(10); box_count++; }
    });
    if (on.has('trees')) {
      const cells = 2 ** level;
      for (let k = 0; k < Math.min(cells, 64); k++) {
        const x = -half + (2 * half * k) / cells;
        boxes.f32(x, -half, 0, x + (2 * half) / cells, half, 3.5 - 0.4 * level).u32(8 | (level << 8));
        box_count++;
      }
    }
    if (box_count) sections.push(section('BOXS', box_count, boxes));
    if (on.has('planes')) {
      sections.push(section('FACE', 2, new Bytes().f32(-2, 0.9, 0, 2, 0.9, 0, 2, 0.9, 3).u32(11).f32(-2, 0.9, 0, 2, 0.9, 3, -2, 0.9, 3).u32(11)));
      sections.push(section('LINE', 1, new Bytes().f32(0, 0.9, 1.5, 0, 1.9, 1.5).u32(6)));
    }
    if (on.has('faults')) sections.push(section('PNTS', 1, new Bytes().f32(poses[3][0], poses[3][1] + 0.35, poses[3][2] + 0.8).u32(13)));
    if (mode === 'run') {
      const wave = (i) => 0.5 + 0.5 * Math.sin(t * (0.7 + 0.4 * i) + i);
      sections.push(section('TIME', 5, new Bytes().f32(0.4 + 0.3 * wave(0), 0.8 + 0.8 * wave(1), 2.2 + 2.4 * wave(2), 1.4 + 1.9 * wave(3), 0.3 + 0.1 * wave(4))));
      sections.push(section('ENER', 2, new Bytes().f64(900 + 420 * Math.sin(t * 2), 1900 - 400 * Math.sin(t * 2) - 12 * t)));
    }
    return frame_bytes(header, sections);
  }
  return { json, meshes, pose_at, frame, rest };
}
