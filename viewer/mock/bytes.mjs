// Writer of meshes and frames for the mock server and the test vectors. It shares no code with src/codec.ts on purpose:
// each checks the other.

/** A growing little-endian byte writer. */
export class Bytes {
  parts = [];
  length = 0;
  push(size, write) {
    const part = new Uint8Array(size);
    write(new DataView(part.buffer));
    this.parts.push(part);
    this.length += size;
    return this;
  }
  tag(text) { return this.push(4, (v) => [...text].forEach((c, i) => v.setUint8(i, c.charCodeAt(0)))); }
  u8(...n) { return this.push(n.length, (v) => n.forEach((x, i) => v.setUint8(i, x))); }
  u16(...n) { return this.push(2 * n.length, (v) => n.forEach((x, i) => v.setUint16(2 * i, x, true))); }
  u32(...n) { return this.push(4 * n.length, (v) => n.forEach((x, i) => v.setUint32(4 * i, x, true))); }
  u64(...n) { return this.push(8 * n.length, (v) => n.forEach((x, i) => v.setBigUint64(8 * i, BigInt(x), true))); }
  f32(...n) { return this.push(4 * n.length, (v) => n.forEach((x, i) => v.setFloat32(4 * i, x, true))); }
  f64(...n) { return this.push(8 * n.length, (v) => n.forEach((x, i) => v.setFloat64(8 * i, x, true))); }
  pad() { while (this.length % 4) this.u8(0); return this; }
  append(other) { this.parts.push(...other.parts); this.length += other.length; return this; }
  buffer() { return Buffer.concat(this.parts); }
}

/** `HMS1` of lists of vertices, triangles and edges. */
export function mesh_bytes({ vertices, triangles, edges }) {
  return new Bytes().tag('HMS1').u32(vertices.length, triangles.length, edges.length)
    .f32(...vertices.flat()).u32(...triangles.flat()).u32(...edges.flat()).buffer();
}

/** `HMQ1` of a box and shares. */
export function report_mesh_bytes({ corner, size, shares, triangles, edges, wide = false }) {
  const b = new Bytes().tag('HMQ1').u32(shares.length, triangles.length, edges.length).f32(...corner, ...size);
  b.u16(...shares.flat()).pad();
  if (wide) return b.u32(...triangles.flat()).u32(...edges.flat()).buffer();
  return b.u16(...triangles.flat()).pad().u16(...edges.flat()).buffer();
}

/** A section: tag, count, body. */
export function section(tag, count, body) {
  body.pad();
  return new Bytes().tag(tag).u32(count, body.length, 0).append(body);
}

/** `HFR1` of a header and sections. */
export function frame_bytes({ flags = 0, step = 0, time = 0, newest = 0, rate = 1 }, sections) {
  const b = new Bytes().tag('HFR1').u32(flags).u64(step).f64(time).u64(newest).f32(rate).u32(sections.length);
  for (const s of sections) b.append(s);
  return b.buffer();
}
