// Codec of the binary data of the page: meshes, frames, and meshes of a report (see PROTOCOL.md).
//
// Decoders return views into the buffer and copy nothing but vertices of a report mesh. All counts are compared with the
// length of the buffer before they are used, so a lying count is an error and costs neither time nor memory.
// The machine has to be little-endian, as all machines with a browser are.

/** Reports bytes that are no mesh or frame, in one line. */
export class CodecError extends Error {
  override name = 'CodecError';
}

export interface Mesh {
  /** 3 coordinates per vertex. */
  vertices: Float32Array;
  /** 3 vertices per triangle, counter-clockwise seen from outside. */
  triangles: Uint32Array;
  /** 2 vertices per feature edge. */
  edges: Uint32Array;
}

/** Records of equal length, as two views of the same words. */
export interface Records {
  count: number;
  /** Words (4 bytes) in a record. */
  stride: number;
  f32: Float32Array;
  u32: Uint32Array;
}

export interface MovedVertices {
  body: number;
  /** 3 coordinates per vertex, in the frame of the body. */
  vertices: Float32Array;
}

export interface Frame {
  playing: boolean;
  taken: boolean;
  history: boolean;
  step: number;
  time: number;
  newest: number;
  rate: number;
  /** 7 numbers per body: translation, rotation x, y, z, w. Absent: not changed. */
  pose?: Float32Array;
  /** Bits per body, see `STATE_…`. Absent: not changed. */
  stat?: Uint8Array;
  /** Place of each body on the scale of colours, 0 to 254; 255 is none. Absent: not changed. */
  tint?: Uint8Array;
  cont?: Records;
  tris?: Records;
  vert?: MovedVertices[];
  line?: Records;
  boxs?: Records;
  pnts?: Records;
  face?: Records;
  /** Drawn items that found no room. */
  left_out?: number;
  /** Milliseconds per stage. */
  times?: Float32Array;
  /** Kinetic and potential energy, J. */
  energy?: Float64Array;
}

export const STATE_ASLEEP = 1;
export const STATE_TOUCHES = 2;
export const STATE_HELD = 4;
export const STATE_ABSENT = 8;

/** Words in a record of each section with records of equal length. */
const STRIDE: Record<string, number> = { POSE: 7, CONT: 12, TRIS: 10, LINE: 7, BOXS: 7, PNTS: 4, FACE: 10, TIME: 1, ENER: 2, LEFT: 1 };

function check_magic(view: DataView, magic: string, least: number): void {
  if (view.byteLength < least) throw new CodecError(`${magic}: ${view.byteLength} bytes, but the header alone has ${least}`);
  const found = tag_at(view, 0);
  if (found !== magic) throw new CodecError(`${magic} expected at the start, not ${JSON.stringify(found)}`);
}

function tag_at(view: DataView, at: number): string {
  return String.fromCharCode(view.getUint8(at), view.getUint8(at + 1), view.getUint8(at + 2), view.getUint8(at + 3));
}

function check_indices(indices: ArrayLike<number>, vertices: number, what: string): void {
  for (let i = 0; i < indices.length; i++) {
    if (indices[i]! >= vertices) throw new CodecError(`${what}: vertex ${indices[i]} of ${vertices}`);
  }
}

function check_finite(values: Float32Array, what: string): void {
  for (let i = 0; i < values.length; i++) {
    if (!Number.isFinite(values[i])) throw new CodecError(`${what}: number ${i} is not finite`);
  }
}

/** Decodes `HMS1`. The arrays are views into `buffer`. */
export function decode_mesh(buffer: ArrayBuffer): Mesh {
  const view = new DataView(buffer);
  check_magic(view, 'HMS1', 16);
  const n = view.getUint32(4, true);
  const m = view.getUint32(8, true);
  const k = view.getUint32(12, true);
  const length = 16 + 12 * n + 12 * m + 8 * k;
  if (length !== buffer.byteLength) throw new CodecError(`HMS1: the counts make ${length} bytes, not ${buffer.byteLength}`);
  const mesh = {
    vertices: new Float32Array(buffer, 16, 3 * n),
    triangles: new Uint32Array(buffer, 16 + 12 * n, 3 * m),
    edges: new Uint32Array(buffer, 16 + 12 * n + 12 * m, 2 * k),
  };
  check_finite(mesh.vertices, 'HMS1 vertices');
  check_indices(mesh.triangles, n, 'HMS1 triangles');
  check_indices(mesh.edges, n, 'HMS1 edges');
  return mesh;
}

/** Encodes `HMS1`. */
export function encode_mesh(mesh: Mesh): ArrayBuffer {
  const { vertices, triangles, edges } = mesh;
  const buffer = new ArrayBuffer(16 + 4 * (vertices.length + triangles.length + edges.length));
  write_tag(new DataView(buffer), 0, 'HMS1');
  new Uint32Array(buffer, 4, 3).set([vertices.length / 3, triangles.length / 3, edges.length / 2]);
  new Float32Array(buffer, 16, vertices.length).set(vertices);
  new Uint32Array(buffer, 16 + 4 * vertices.length).set(triangles);
  new Uint32Array(buffer, 16 + 4 * (vertices.length + triangles.length)).set(edges);
  return buffer;
}

const padded = (bytes: number): number => Math.ceil(bytes / 4) * 4;

/** Decodes `HMQ1`: vertices are corner + size × share, computed in f64 and rounded to f32. */
export function decode_report_mesh(buffer: ArrayBuffer): Mesh {
  const view = new DataView(buffer);
  check_magic(view, 'HMQ1', 40);
  const n = view.getUint32(4, true);
  const m = view.getUint32(8, true);
  const k = view.getUint32(12, true);
  const wide = n > 65536;
  const at_triangles = 40 + padded(6 * n);
  const at_edges = at_triangles + padded((wide ? 12 : 6) * m);
  const length = at_edges + (wide ? 8 : 4) * k;
  if (length !== buffer.byteLength) throw new CodecError(`HMQ1: the counts make ${length} bytes, not ${buffer.byteLength}`);
  const box = new Float32Array(buffer, 16, 6);
  check_finite(box, 'HMQ1 box');
  const shares = new Uint16Array(buffer, 40, 3 * n);
  const vertices = new Float32Array(3 * n);
  for (let i = 0; i < shares.length; i++) vertices[i] = box[i % 3]! + (box[3 + (i % 3)]! * shares[i]!) / 65535;
  const Index = wide ? Uint32Array : Uint16Array;
  const triangles = new Uint32Array(new Index(buffer, at_triangles, 3 * m));
  const edges = new Uint32Array(new Index(buffer, at_edges, 2 * k));
  check_indices(triangles, n, 'HMQ1 triangles');
  check_indices(edges, n, 'HMQ1 edges');
  return { vertices, triangles, edges };
}

/** Encodes `HMQ1`; each vertex goes to the nearest share of the box. */
export function encode_report_mesh(mesh: Mesh): ArrayBuffer {
  const { vertices, triangles, edges } = mesh;
  const n = vertices.length / 3;
  const wide = n > 65536;
  const size = wide ? 4 : 2;
  const at_triangles = 40 + padded(6 * n);
  const at_edges = at_triangles + padded(size * triangles.length);
  const buffer = new ArrayBuffer(at_edges + size * edges.length);
  write_tag(new DataView(buffer), 0, 'HMQ1');
  new Uint32Array(buffer, 4, 3).set([n, triangles.length / 3, edges.length / 2]);
  const box = new Float32Array(buffer, 16, 6);
  for (let axis = 0; axis < 3 && n > 0; axis++) {
    let least = Infinity;
    let greatest = -Infinity;
    for (let i = axis; i < vertices.length; i += 3) {
      least = Math.min(least, vertices[i]!);
      greatest = Math.max(greatest, vertices[i]!);
    }
    box[axis] = least;
    box[3 + axis] = greatest - least;
  }
  const shares = new Uint16Array(buffer, 40, 3 * n);
  for (let i = 0; i < shares.length; i++) {
    const extent = box[3 + (i % 3)]!;
    shares[i] = extent > 0 ? Math.min(65535, Math.round(((vertices[i]! - box[i % 3]!) / extent) * 65535)) : 0;
  }
  const Index = wide ? Uint32Array : Uint16Array;
  new Index(buffer, at_triangles, triangles.length).set(triangles);
  new Index(buffer, at_edges, edges.length).set(edges);
  return buffer;
}

function read_u64(view: DataView, at: number, what: string): number {
  const value = view.getBigUint64(at, true);
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new CodecError(`HFR1: ${what} ${value} is beyond 2^53`);
  return Number(value);
}

/** Decodes `HFR1`. The arrays are views into `buffer`, except for energies. */
export function decode_frame(buffer: ArrayBuffer): Frame {
  const view = new DataView(buffer);
  check_magic(view, 'HFR1', 40);
  const flags = view.getUint32(4, true);
  const frame: Frame = {
    playing: (flags & 1) !== 0,
    taken: (flags & 2) !== 0,
    history: (flags & 4) !== 0,
    step: read_u64(view, 8, 'step'),
    time: view.getFloat64(16, true),
    newest: read_u64(view, 24, 'newest step'),
    rate: view.getFloat32(32, true),
  };
  const sections = view.getUint32(36, true);
  const seen = new Set<string>();
  let at = 40;
  for (let s = 0; s < sections; s++) {
    // Each turn takes 16 bytes or throws, so a lying number of sections ends here.
    if (buffer.byteLength - at < 16) throw new CodecError(`HFR1: section ${s} of ${sections} is missing`);
    const tag = tag_at(view, at);
    const count = view.getUint32(at + 4, true);
    const bytes = view.getUint32(at + 8, true);
    at += 16;
    if (bytes % 4 !== 0) throw new CodecError(`HFR1 ${tag}: ${bytes} bytes are no multiple of 4`);
    if (bytes > buffer.byteLength - at) throw new CodecError(`HFR1 ${tag}: ${bytes} bytes, but ${buffer.byteLength - at} are left`);
    if (seen.has(tag)) throw new CodecError(`HFR1 ${tag}: occurs twice`);
    seen.add(tag);
    read_section(frame, view, tag, count, at, bytes);
    at += bytes;
  }
  if (at !== buffer.byteLength) throw new CodecError(`HFR1: ${buffer.byteLength - at} bytes after the last section`);
  return frame;
}

function read_section(frame: Frame, view: DataView, tag: string, count: number, at: number, bytes: number): void {
  const buffer = view.buffer as ArrayBuffer;
  const wrong = (): CodecError => new CodecError(`HFR1 ${tag}: ${count} entries do not make ${bytes} bytes`);
  if (tag === 'STAT' || tag === 'TINT') {
    if (padded(count) !== bytes) throw wrong();
    frame[tag === 'STAT' ? 'stat' : 'tint'] = new Uint8Array(buffer, at, count);
    return;
  }
  if (tag === 'VERT') {
    frame.vert = read_vertices(view, count, at, bytes);
    return;
  }
  const stride = STRIDE[tag];
  if (stride === undefined) return;
  if (count * stride * 4 !== bytes) throw wrong();
  const f32 = new Float32Array(buffer, at, count * stride);
  const records: Records = { count, stride, f32, u32: new Uint32Array(buffer, at, count * stride) };
  if (tag === 'POSE') frame.pose = f32;
  else if (tag === 'CONT') frame.cont = records;
  else if (tag === 'TRIS') frame.tris = records;
  else if (tag === 'LINE') frame.line = records;
  else if (tag === 'BOXS') frame.boxs = records;
  else if (tag === 'PNTS') frame.pnts = records;
  else if (tag === 'FACE') frame.face = records;
  else if (tag === 'LEFT') {
    if (records.count !== 1) throw new CodecError(`HFR1 LEFT: ${records.count} numbers, not one`);
    frame.left_out = records.u32[0]!;
  } else if (tag === 'TIME') frame.times = f32;
  else if (tag === 'ENER') {
    // The section may begin at an odd multiple of 4, where no view of f64 can begin.
    frame.energy = new Float64Array(buffer.slice(at, at + bytes));
  }
}

function read_vertices(view: DataView, count: number, at: number, bytes: number): MovedVertices[] {
  const end = at + bytes;
  const moved: MovedVertices[] = [];
  for (let i = 0; i < count; i++) {
    if (end - at < 8) throw new CodecError(`HFR1 VERT: body ${i} of ${count} is missing`);
    const body = view.getUint32(at, true);
    const n = view.getUint32(at + 4, true);
    at += 8;
    if (12 * n > end - at) throw new CodecError(`HFR1 VERT: ${n} vertices, but ${end - at} bytes are left`);
    moved.push({ body, vertices: new Float32Array(view.buffer as ArrayBuffer, at, 3 * n) });
    at += 12 * n;
  }
  if (at !== end) throw new CodecError(`HFR1 VERT: ${end - at} bytes after the last body`);
  return moved;
}

function write_tag(view: DataView, at: number, tag: string): void {
  for (let i = 0; i < 4; i++) view.setUint8(at + i, tag.charCodeAt(i));
}

/** Encodes `HFR1`, with the sections in the order of the protocol. */
export function encode_frame(frame: Frame): ArrayBuffer {
  const parts: { tag: string; count: number; bytes: Uint8Array }[] = [];
  const add = (tag: string, count: number, data: ArrayBufferView): void => {
    parts.push({ tag, count, bytes: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) });
  };
  const add_records = (tag: string, records?: Records): void => {
    if (records) add(tag, records.count, records.u32);
  };
  if (frame.pose) add('POSE', frame.pose.length / 7, frame.pose);
  if (frame.stat) add('STAT', frame.stat.length, frame.stat);
  if (frame.tint) add('TINT', frame.tint.length, frame.tint);
  add_records('CONT', frame.cont);
  add_records('TRIS', frame.tris);
  if (frame.vert) add('VERT', frame.vert.length, join_vertices(frame.vert));
  add_records('LINE', frame.line);
  add_records('BOXS', frame.boxs);
  add_records('PNTS', frame.pnts);
  add_records('FACE', frame.face);
  if (frame.left_out !== undefined) add('LEFT', 1, new Uint32Array([frame.left_out]));
  if (frame.times) add('TIME', frame.times.length, frame.times);
  if (frame.energy) add('ENER', frame.energy.length, frame.energy);

  const length = parts.reduce((sum, part) => sum + 16 + padded(part.bytes.length), 40);
  const buffer = new ArrayBuffer(length);
  const view = new DataView(buffer);
  write_tag(view, 0, 'HFR1');
  view.setUint32(4, (frame.playing ? 1 : 0) | (frame.taken ? 2 : 0) | (frame.history ? 4 : 0), true);
  view.setBigUint64(8, BigInt(frame.step), true);
  view.setFloat64(16, frame.time, true);
  view.setBigUint64(24, BigInt(frame.newest), true);
  view.setFloat32(32, frame.rate, true);
  view.setUint32(36, parts.length, true);
  let at = 40;
  for (const part of parts) {
    write_tag(view, at, part.tag);
    view.setUint32(at + 4, part.count, true);
    view.setUint32(at + 8, padded(part.bytes.length), true);
    new Uint8Array(buffer, at + 16, part.bytes.length).set(part.bytes);
    at += 16 + padded(part.bytes.length);
  }
  return buffer;
}

function join_vertices(moved: MovedVertices[]): Uint32Array {
  const words = new Uint32Array(moved.reduce((sum, one) => sum + 2 + one.vertices.length, 0));
  let at = 0;
  for (const { body, vertices } of moved) {
    words.set([body, vertices.length / 3], at);
    new Float32Array(words.buffer, 4 * (at + 2), vertices.length).set(vertices);
    at += 2 + vertices.length;
  }
  return words;
}

/** Decodes base64. */
export function decode_base64(text: string): ArrayBuffer {
  const chars = atob(text);
  const bytes = new Uint8Array(chars.length);
  for (let i = 0; i < chars.length; i++) bytes[i] = chars.charCodeAt(i);
  return bytes.buffer;
}
