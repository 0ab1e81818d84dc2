// Writes the test vectors of this folder: `node vectors/make.mjs`. Each file is a list of
// {"name", "kind": "mesh" | "report_mesh" | "frame", "hex", "expected"} or, for bytes that a reader has to refuse,
// {"name", "kind", "hex", "error": "why"}. Numbers of `expected` are exact: an f32 is printed as the f64 of the same value.
import { writeFileSync } from 'node:fs';
import { Bytes, frame_bytes, mesh_bytes, report_mesh_bytes, section } from '../mock/bytes.mjs';

const f = Math.fround;
const hex = (buffer) => Buffer.from(buffer).toString('hex');
const save = (name, list) => writeFileSync(new URL(name, import.meta.url), JSON.stringify(list, null, 1) + '\n');
const patched = (buffer, at, ...words) => { const b = Buffer.from(buffer); words.forEach((w, i) => b.writeUInt32LE(w, at + 4 * i)); return b; };

// Meshes: a tetrahedron with coordinates that are no dyadic fractions; an empty mesh; refusals.
const vertices = [[0, 0, 0], [0.1, 0, 0], [0, -0.2, 0], [1e-7, 3, 1e9]];
const triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
const edges = [[0, 1], [1, 2], [2, 0]];
const mesh = mesh_bytes({ vertices, triangles, edges });
const flat_mesh = { vertices: vertices.flat().map(f), triangles: triangles.flat(), edges: edges.flat() };
save('meshes.json', [
  { name: 'tetrahedron', kind: 'mesh', hex: hex(mesh), expected: flat_mesh },
  { name: 'empty', kind: 'mesh', hex: hex(mesh_bytes({ vertices: [], triangles: [], edges: [] })), expected: { vertices: [], triangles: [], edges: [] } },
  { name: 'truncated', kind: 'mesh', hex: hex(mesh.subarray(0, mesh.length - 4)), error: 'the bytes end before the last edge' },
  { name: 'header only', kind: 'mesh', hex: hex(mesh.subarray(0, 12)), error: 'the header is cut' },
  { name: 'too long', kind: 'mesh', hex: hex(mesh) + '00000000', error: 'bytes after the last edge' },
  { name: 'lying vertices', kind: 'mesh', hex: hex(patched(mesh, 4, 0xffffffff)), error: '4294967295 vertices in a short file' },
  { name: 'index beyond', kind: 'mesh', hex: hex(patched(mesh, 16 + 48, 4)), error: 'triangle 0 names vertex 4 of 4' },
  { name: 'not finite', kind: 'mesh', hex: hex(patched(mesh, 16, 0x7fc00000)), error: 'a vertex is NaN' },
  { name: 'wrong magic', kind: 'mesh', hex: '58' + hex(mesh).slice(2), error: 'XMS1' },
]);

// Meshes of a report: 3 vertices (an odd number of u16 of vertices, triangles and edges, so all padding occurs).
const corner = [-0.1, 2, 30];
const size = [0.3, 4, 0];
const shares = [[0, 0, 0], [65535, 32768, 0], [12345, 65535, 65535]];
const dequantised = shares.map((s) => s.map((q, i) => f(f(corner[i]) + (f(size[i]) * q) / 65535)));
const small = { corner, size, shares, triangles: [[0, 1, 2]], edges: [[0, 1], [1, 2], [2, 0]] };
const report_mesh = report_mesh_bytes(small);
save('report_meshes.json', [
  { name: 'triangle', kind: 'report_mesh', hex: hex(report_mesh), expected: { vertices: dequantised.flat(), triangles: [0, 1, 2], edges: [0, 1, 1, 2, 2, 0] } },
  { name: 'empty', kind: 'report_mesh', hex: hex(report_mesh_bytes({ corner: [0, 0, 0], size: [0, 0, 0], shares: [], triangles: [], edges: [] })), expected: { vertices: [], triangles: [], edges: [] } },
  { name: 'truncated', kind: 'report_mesh', hex: hex(report_mesh.subarray(0, report_mesh.length - 2)), error: 'the bytes end before the last edge' },
  { name: 'lying triangles', kind: 'report_mesh', hex: hex(patched(report_mesh, 8, 0x80000000)), error: '2147483648 triangles in a short file' },
  { name: 'wide indices missing', kind: 'report_mesh', hex: hex(patched(report_mesh, 4, 65537)), error: '65537 vertices in a short file' },
  { name: 'index beyond', kind: 'report_mesh', hex: hex(report_mesh_bytes({ ...small, triangles: [[0, 1, 3]] })), error: 'triangle 0 names vertex 3 of 3' },
]);

// Frames: one with every section, one that repeats nothing, unknown sections, refusals.
const pose = [0.1, 0.2, 0.3, 0, 0, 0, 1, -1, -2, -3, 0.5, 0.5, 0.5, 0.5, 7, 8, 9, 0, 0, f(Math.SQRT1_2), f(Math.SQRT1_2)];
const cont = { a: 0, b: 2, kind: 1, point: [0.1, 0.2, 0.3], normal: [0, 0, -1], separation: -0.001, impulse: 12.5 };
const tri = { body: 1, corners: [0, 0, 0, 0.1, 0, 0, 0, 0.1, 0] };
const moved = [{ body: 2, vertices: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6] }, { body: 1, vertices: [] }];
const meaning = (kind, level = 0) => kind | (level << 8);
const line = { ends: [0, 0, 0, 0.7, 0.8, 0.9], meaning: meaning(6) };
const boxs = { corners: [-0.1, -0.1, -0.1, 0.1, 0.1, 0.1], meaning: meaning(8, 5) };
const pnts = { point: [0.3, 0.2, 0.1], meaning: meaning(13) };
const face = { corners: [0, 0, 0, 0.1, 0, 0, 0, 0.1, 0], meaning: meaning(11) };
const times = [0.1, 1.5, 0.025];
const energy = [0.1, -9.80665];
const header = { flags: 1 | 2 | 4, step: 120, time: 2.1, newest: 2 ** 40 + 1, rate: 0.1 };
const all = [
  section('POSE', 3, new Bytes().f32(...pose)),
  section('STAT', 3, new Bytes().u8(1, 2 | 4, 8)),
  section('TINT', 3, new Bytes().u8(255, 0, 254)),
  section('CONT', 1, new Bytes().u32(cont.a, cont.b, cont.kind).f32(...cont.point, ...cont.normal, cont.separation, cont.impulse).u32(0)),
  section('TRIS', 1, new Bytes().u32(tri.body).f32(...tri.corners)),
  section('VERT', 2, moved.reduce((b, m) => b.u32(m.body, m.vertices.length / 3).f32(...m.vertices), new Bytes())),
  section('LINE', 1, new Bytes().f32(...line.ends).u32(line.meaning)),
  section('BOXS', 1, new Bytes().f32(...boxs.corners).u32(boxs.meaning)),
  section('PNTS', 1, new Bytes().f32(...pnts.point).u32(pnts.meaning)),
  section('FACE', 1, new Bytes().f32(...face.corners).u32(face.meaning)),
  section('LEFT', 1, new Bytes().u32(150000)),
  section('TIME', 3, new Bytes().f32(...times)),
  section('ENER', 2, new Bytes().f64(...energy)),
];
const r = (values) => values.map(f);
const expected = {
  playing: true, taken: true, history: true, step: 120, time: 2.1, newest: 2 ** 40 + 1, rate: f(0.1),
  POSE: r(pose), STAT: [1, 6, 8], TINT: [255, 0, 254],
  CONT: [{ a: cont.a, b: cont.b, kind: cont.kind, point: r(cont.point), normal: r(cont.normal), separation: f(cont.separation), impulse: f(cont.impulse) }],
  TRIS: [{ body: 1, corners: r(tri.corners) }],
  VERT: moved.map((m) => ({ body: m.body, vertices: r(m.vertices) })),
  LINE: [{ ends: r(line.ends), meaning: line.meaning }], BOXS: [{ corners: r(boxs.corners), meaning: boxs.meaning }],
  PNTS: [{ point: r(pnts.point), meaning: pnts.meaning }], FACE: [{ corners: r(face.corners), meaning: face.meaning }],
  LEFT: 150000, TIME: r(times), ENER: energy,
};
const frame = frame_bytes(header, all);
const bare_header = { flags: 2, step: 3, time: 0.05, newest: 3, rate: 1 };
const bare = { playing: false, taken: true, history: false, step: 3, time: 0.05, newest: 3, rate: 1 };
const one = (tag, count, body) => hex(frame_bytes(bare_header, [section(tag, count, body)]));
const raw = (tag, count, bytes, body) => hex(frame_bytes(bare_header, [new Bytes().tag(tag).u32(count, bytes, 0).append(body)]));
save('frames.json', [
  { name: 'every section', kind: 'frame', hex: hex(frame), expected },
  { name: 'no section', kind: 'frame', hex: hex(frame_bytes(bare_header, [])), expected: bare },
  { name: 'unknown section', kind: 'frame', hex: one('ZZZZ', 9, new Bytes().u32(1, 2, 3)), expected: bare, one_way: true },
  { name: 'truncated in a section', kind: 'frame', hex: hex(frame.subarray(0, frame.length - 4)), error: 'ENER is cut' },
  { name: 'truncated in a section header', kind: 'frame', hex: hex(frame.subarray(0, 48)), error: 'POSE has half a header' },
  { name: 'truncated in the header', kind: 'frame', hex: hex(frame.subarray(0, 36)), error: 'the header is cut' },
  { name: 'lying number of sections', kind: 'frame', hex: hex(patched(frame, 36, 0xffffffff)), error: '4294967295 sections' },
  { name: 'lying entries', kind: 'frame', hex: raw('CONT', 0xffffffff, 48, new Bytes().u32(...Array(12).fill(0))), error: '4294967295 contacts in 48 bytes' },
  { name: 'lying bytes', kind: 'frame', hex: raw('LINE', 1, 0xfffffffc, new Bytes().u32(...Array(7).fill(0))), error: '4294967292 bytes in 28' },
  { name: 'entries that wrap in 32 bits', kind: 'frame', hex: raw('PNTS', 0x10000000, 0, new Bytes()), error: '2^28 points of 16 bytes are 2^32 bytes, not 0' },
  { name: 'odd bytes', kind: 'frame', hex: raw('STAT', 3, 3, new Bytes().u8(1, 2, 3)), error: 'no multiple of 4' },
  { name: 'lying states', kind: 'frame', hex: raw('STAT', 9, 8, new Bytes().u32(0, 0)), error: '9 states in 8 bytes' },
  { name: 'lying bodies in VERT', kind: 'frame', hex: raw('VERT', 0xffffffff, 8, new Bytes().u32(1, 0)), error: '4294967295 bodies in 8 bytes' },
  { name: 'lying vertices in VERT', kind: 'frame', hex: raw('VERT', 1, 20, new Bytes().u32(1, 0x15555556, 0, 0, 0)), error: '357913942 vertices of 12 bytes wrap in 32 bits' },
  { name: 'bytes left in VERT', kind: 'frame', hex: raw('VERT', 1, 20, new Bytes().u32(1, 0, 0, 0, 0)), error: '12 bytes after the last body' },
  { name: 'bytes left', kind: 'frame', hex: hex(frame) + '00000000', error: 'bytes after the last section' },
  { name: 'two numbers left out', kind: 'frame', hex: hex(frame_bytes(bare_header, [section('LEFT', 2, new Bytes().u32(1, 2))])), error: 'LEFT has two entries' },
  { name: 'section twice', kind: 'frame', hex: hex(frame_bytes(bare_header, [section('TIME', 1, new Bytes().f32(1)), section('TIME', 1, new Bytes().f32(1))])), error: 'TIME occurs twice' },
  { name: 'wrong magic', kind: 'frame', hex: '00' + hex(frame).slice(2), error: 'no HFR1' },
]);
