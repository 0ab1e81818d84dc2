// Tests of the codec against the shared vectors.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as codec from '../src/codec';

interface Vector { name: string; kind: string; hex: string; expected?: any; error?: string; one_way?: boolean }

const load = (file: string): Vector[] => JSON.parse(readFileSync(new URL(`../vectors/${file}.json`, import.meta.url), 'utf8'));
const bytes = (hex: string): ArrayBuffer => new Uint8Array(Buffer.from(hex, 'hex')).buffer;
const hex = (buffer: ArrayBuffer): string => Buffer.from(buffer).toString('hex');

function plain_mesh(mesh: codec.Mesh) {
  return { vertices: [...mesh.vertices], triangles: [...mesh.triangles], edges: [...mesh.edges] };
}

/** Rewrites a frame in the form of `expected`. */
function plain_frame(frame: codec.Frame) {
  const out: any = {};
  for (const key of ['playing', 'taken', 'history', 'step', 'time', 'newest', 'rate'] as const) out[key] = frame[key];
  const rows = (r: codec.Records | undefined, tag: string, row: (f: number[], u: number[]) => object) => {
    if (!r) return;
    out[tag] = Array.from({ length: r.count }, (_, i) => {
      const [from, to] = [i * r.stride, (i + 1) * r.stride];
      return row([...r.f32.subarray(from, to)], [...r.u32.subarray(from, to)]);
    });
  };
  if (frame.pose) out.POSE = [...frame.pose];
  if (frame.stat) out.STAT = [...frame.stat];
  if (frame.tint) out.TINT = [...frame.tint];
  rows(frame.cont, 'CONT', (f, u) => ({ a: u[0], b: u[1], kind: u[2], point: f.slice(3, 6), normal: f.slice(6, 9), separation: f[9], impulse: f[10] }));
  rows(frame.tris, 'TRIS', (f, u) => ({ body: u[0], corners: f.slice(1) }));
  if (frame.vert) out.VERT = frame.vert.map((v) => ({ body: v.body, vertices: [...v.vertices] }));
  rows(frame.line, 'LINE', (f, u) => ({ ends: f.slice(0, 6), meaning: u[6] }));
  rows(frame.boxs, 'BOXS', (f, u) => ({ corners: f.slice(0, 6), meaning: u[6] }));
  rows(frame.pnts, 'PNTS', (f, u) => ({ point: f.slice(0, 3), meaning: u[3] }));
  rows(frame.face, 'FACE', (f, u) => ({ corners: f.slice(0, 9), meaning: u[9] }));
  if (frame.left_out !== undefined) out.LEFT = frame.left_out;
  if (frame.times) out.TIME = [...frame.times];
  if (frame.energy) out.ENER = [...frame.energy];
  return out;
}

const decode = { mesh: (b: ArrayBuffer) => plain_mesh(codec.decode_mesh(b)), report_mesh: (b: ArrayBuffer) => plain_mesh(codec.decode_report_mesh(b)), frame: (b: ArrayBuffer) => plain_frame(codec.decode_frame(b)) } as Record<string, (b: ArrayBuffer) => unknown>;

for (const file of ['meshes', 'report_meshes', 'frames']) {
  describe(file, () => {
    for (const v of load(file)) {
      test(v.name, () => {
        const input = bytes(v.hex);
        if (v.error) expect(() => decode[v.kind]!(input)).toThrow(codec.CodecError);
        else expect(decode[v.kind]!(input)).toEqual(v.expected);
      });
      if (v.expected && !v.one_way && v.kind !== 'report_mesh') {
        test(`${v.name}, encoded again`, () => {
          const again = v.kind === 'mesh' ? codec.encode_mesh(codec.decode_mesh(bytes(v.hex))) : codec.encode_frame(codec.decode_frame(bytes(v.hex)));
          expect(hex(again)).toBe(v.hex);
        });
      }
    }
  });
}

test('every prefix of a frame is refused', () => {
  const whole = load('frames')[0]!.hex;
  for (let n = 0; n < whole.length; n += 2) expect(() => codec.decode_frame(bytes(whole.slice(0, n)))).toThrow();
});

test('a report mesh survives encoding to within half a share of its box', () => {
  const vertices = new Float32Array(300).map((_, i) => Math.sin(i * 1.7) * (1 + (i % 3)));
  const mesh = { vertices, triangles: new Uint32Array([0, 1, 2, 97, 98, 99]), edges: new Uint32Array([5, 6]) };
  const again = codec.decode_report_mesh(codec.encode_report_mesh(mesh));
  expect([...again.triangles]).toEqual([0, 1, 2, 97, 98, 99]);
  expect([...again.edges]).toEqual([5, 6]);
  again.vertices.forEach((v, i) => expect(Math.abs(v - vertices[i]!)).toBeLessThan(6 / 65535));
});

test('a report mesh beyond 65,536 vertices has wide indices', () => {
  const n = 65537;
  const vertices = new Float32Array(3 * n).map((_, i) => i % 1000);
  const again = codec.decode_report_mesh(codec.encode_report_mesh({ vertices, triangles: new Uint32Array([0, 1, n - 1]), edges: new Uint32Array([]) }));
  expect([...again.triangles]).toEqual([0, 1, n - 1]);
});

test('base64', () => {
  expect([...new Uint8Array(codec.decode_base64('AAEC/w=='))]).toEqual([0, 1, 2, 255]);
});
