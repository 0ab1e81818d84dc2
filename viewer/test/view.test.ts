// Tests of what the pages compute: normals, rays, merged frames, scales, lists.
import { Vector3 } from 'three';
import { describe, expect, test } from 'vitest';
import type { Frame } from '../src/codec';
import { number_text, vector_text } from '../src/dom';
import { merge_frames } from '../src/live/connection';
import { left_out_text } from '../src/live/layers_panel';
import { spread } from '../src/report/badges';
import { common_prefix, filter_findings, KINDS, type FindingFilter } from '../src/report/data';
import type { ReportData } from '../src/types';
import { Bodies, ray_triangles, write_matrix } from '../src/view/bodies';
import { length_text, round_length } from '../src/view/grid';
import { shade, weld } from '../src/view/normals';
import { make_scene } from '../mock/scene.mjs';
import { make_report } from '../mock/report.mjs';

const scene = make_scene({ count: 4 });
const typed = (mesh: any) => ({ vertices: new Float32Array(mesh.vertices.flat()), triangles: new Uint32Array(mesh.triangles.flat()), edges: new Uint32Array(mesh.edges.flat()) });
const cube = typed(scene.meshes[0]);
const ball = typed(scene.meshes[1]);

describe('crease-angle normals', () => {
  test('a cube has 24 vertices with axis normals', () => {
    const s = shade(cube.vertices, cube.triangles);
    expect(s.positions.length).toBe(72);
    for (let i = 0; i < s.normals.length; i += 3) expect([...s.normals.subarray(i, i + 3)].map(Math.abs).sort()).toEqual([0, 0, 1]);
  });
  test('a ball is smooth: one vertex each, normals along the radius', () => {
    const s = shade(ball.vertices, ball.triangles);
    expect(s.positions.length).toBe(ball.vertices.length);
    for (let i = 0; i < s.normals.length; i += 3) {
      const [p, n] = [s.positions.subarray(i, i + 3), s.normals.subarray(i, i + 3)];
      expect((p[0]! * n[0]! + p[1]! * n[1]! + p[2]! * n[2]!) / 0.55).toBeGreaterThan(0.99);
    }
  });
  test('triangles without shared vertices are welded, so that they are as smooth', () => {
    const soup = new Float32Array([...ball.triangles].flatMap((v) => [...ball.vertices.subarray(3 * v, 3 * v + 3)]));
    const s = shade(soup, new Uint32Array(soup.length / 3).map((_, i) => i));
    expect(s.positions.length).toBe(ball.vertices.length);
  });
  test('0 and −0 are one position', () => {
    expect([...weld(new Float32Array([0, 1, 2, -0, 1, 2]))]).toEqual([0, 0]);
  });
  test('triangles without area give finite normals', () => {
    const s = shade(new Float32Array([0, 0, 0, 1, 0, 0, 2, 0, 0]), new Uint32Array([0, 1, 2]));
    expect([...s.normals].every(Number.isFinite)).toBe(true);
  });
});

describe('rays', () => {
  test('the first triangle counts, from outside and from inside', () => {
    const d = new Vector3(0, 0, -1);
    expect(ray_triangles(cube.vertices, cube.triangles, new Vector3(0.1, 0.2, 5), d, 0)).toBeCloseTo(4.5, 12);
    expect(ray_triangles(cube.vertices, cube.triangles, new Vector3(0.1, 0.2, 0), d, 0)).toBeCloseTo(0.5, 12);
    expect(ray_triangles(cube.vertices, cube.triangles, new Vector3(0.6, 0.2, 5), d, 0)).toBeNull();
    expect(ray_triangles(cube.vertices, cube.triangles, new Vector3(0.1, 0.2, 5), d, 5)).toBeCloseTo(5.5, 12);
  });
  test('the nearest body counts, and hidden bodies do not', () => {
    const bodies = new Bodies([0, 0, null]);
    bodies.add_mesh(0, cube);
    const half = Math.SQRT1_2;
    bodies.set_poses(new Float32Array([0, 0, 0, 0, 0, 0, 1, 0, 0, 3, 0, 0, half, half, 0, 0, 4, 0, 0, 0, 1]));
    const down = (x: number, y: number, least = 0, most = Infinity) => ({ origin: new Vector3(x, y, 9), direction: new Vector3(0, 0, -1), least, most });
    const over = down(0.1, 0.2);
    expect(bodies.pick(over)!.body).toBe(1);
    expect(bodies.pick(over)!.point.z).toBeCloseTo(3.5, 6);
    expect(bodies.pick(down(0.1, 0.2, 6))!.point.z).toBeCloseTo(2.5, 6);
    expect(bodies.pick(down(0.1, 0.2, 0, 5))).toBeNull();
    bodies.set_hidden(1, true);
    expect(bodies.pick(over)!.body).toBe(0);
    expect(bodies.pick(down(9, 9))).toBeNull();
  });
  test('a matrix turns as the quaternion does', () => {
    const m = new Float32Array(16);
    write_matrix(m, 0, [1, 2, 3, 0, 0, Math.SQRT1_2, Math.SQRT1_2], 0);
    expect([...m].map((v) => Math.round(v * 1e6) / 1e6 + 0)).toEqual([0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1]);
  });
});

test('merged frames keep what the newer one does not tell', () => {
  const base = { playing: true, taken: true, history: false, time: 0, newest: 9, rate: 1 };
  const vertices = (x: number) => new Float32Array([x, 0, 0]);
  const older: Frame = { ...base, step: 1, pose: vertices(1), cont: { count: 0, stride: 12, f32: new Float32Array(), u32: new Uint32Array() }, vert: [{ body: 1, vertices: vertices(1) }, { body: 2, vertices: vertices(2) }] };
  const newer: Frame = { ...base, step: 2, stat: new Uint8Array([1]), vert: [{ body: 2, vertices: vertices(5) }] };
  const merged = merge_frames(older, newer);
  expect(merged.step).toBe(2);
  expect(merged.pose).toBe(older.pose);
  expect(merged.cont).toBeUndefined();
  expect(merged.vert!.map((v) => [v.body, v.vertices[0]])).toEqual([[1, 1], [2, 5]]);
});

test('findings are filtered and sorted', () => {
  const data = make_report(40) as unknown as ReportData;
  const filter: FindingFilter = { kinds: new Set(KINDS), text: '', news_only: false, sort: 'severity', descending: false };
  expect(filter_findings(data, filter)).toEqual(data.findings.map((_, i) => i));
  const depths = filter_findings(data, { ...filter, sort: 'depth', descending: true }).map((i) => data.findings[i]!.depth ?? -(data.findings[i]!.gap ?? 0));
  expect(depths).toEqual([...depths].sort((a, b) => b - a));
  const near = filter_findings(data, { ...filter, kinds: new Set(['near' as const]), text: 'WHEEL 2.' });
  expect(near.length).toBeGreaterThan(0);
  for (const i of near) expect(data.parts[data.findings[i]!.b]!.name).toMatch(/^wheel 2\./);
  expect(filter_findings(data, { ...filter, news_only: true }).every((i) => data.findings[i]!.since !== 'same')).toBe(true);
});

test('lengths and numbers', () => {
  expect([0.9, 1, 1.99, 2, 4.9, 5, 12, 0.0031].map(round_length)).toEqual([0.5, 1, 1, 2, 2, 5, 10, 0.002]);
  expect([length_text(0.02, 'm'), length_text(2, 'm'), length_text(2000, 'm'), length_text(0.5, 'mm')]).toEqual(['20 mm', '2 m', '2 km', '0.5 mm']);
  expect([number_text(0), number_text(523.6), number_text(-0.001234567), number_text(null), number_text(2.5e9)]).toEqual(['0', '523.6', '−0.001235', '–', '2.50e9']);
  expect(vector_text([1, -2.345], 2)).toBe('1.00  −2.35');
});

describe('items that are not drawn', () => {
  test('are counted in words', () => {
    expect([0, 1, 1234567].map(left_out_text)).toEqual([
      '', '1 more item is not drawn: show fewer layers.', '1,234,567 more items are not drawn: show fewer layers.',
    ]);
  });
});

describe('badges', () => {
  test('those at one place go to places of their own near it, and the first one stays', () => {
    const places = [...Array.from({ length: 20 }, () => ({ x: 300, y: 200 })), { x: 900, y: 80 }];
    const put = spread(places);
    expect(put[0]).toEqual(places[0]);
    expect(put.at(-1)).toEqual(places.at(-1));
    put.forEach((p, i) => {
      expect(Math.hypot(p.x - places[i]!.x, p.y - places[i]!.y)).toBeLessThan(130);
      for (const q of put.slice(0, i)) expect(Math.abs(p.x - q.x) >= 26 || Math.abs(p.y - q.y) >= 20).toBe(true);
    });
    expect(spread(places)).toEqual(put);
  });
});

describe('names', () => {
  test('the common beginning ends at a slash, and counts the parts of findings only', () => {
    const parts = ['top/unit 1/bolt', 'top/unit 1/plate', 'top/unit 2/bolt', 'cover'].map((name) => ({ name }));
    const prefix = (...pairs: [number, number][]): string => common_prefix({ parts, findings: pairs.map(([a, b]) => ({ a, b, kind: 'clash' })) } as unknown as ReportData);
    expect(prefix([0, 1])).toBe('top/unit 1/');
    expect(prefix([0, 1], [0, 2])).toBe('top/');
    expect(prefix([0, 1], [0, 3])).toBe('');
    expect(prefix()).toBe('');
    parts.push({ name: 'top/unit 1/' });
    expect(prefix([0, 4])).toBe('top/');
  });
});
