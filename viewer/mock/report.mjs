// Synthetic report: plates with bolts and wheels, and findings among them. `node mock/report.mjs OUT.html [PARTS]` writes one.
import { readFileSync, writeFileSync } from 'node:fs';
import { report_mesh_bytes } from './bytes.mjs';

/** Quantises a mesh into the layout of a report, in base64. */
function pack({ vertices, triangles, edges }) {
  const corner = [0, 1, 2].map((c) => Math.min(...vertices.map((v) => v[c])));
  const size = [0, 1, 2].map((c) => Math.max(...vertices.map((v) => v[c])) - corner[c]);
  const shares = vertices.map((v) => v.map((x, c) => (size[c] > 0 ? Math.round(((x - corner[c]) / size[c]) * 65535) : 0)));
  return report_mesh_bytes({ corner, size, shares, triangles, edges }).toString('base64');
}

/** A solid of revolution around z from points of radius and height, flat caps at both ends. */
function turned(profile, sectors = 32) {
  const vertices = [];
  const triangles = [];
  const edges = [];
  const ring = (r, z) => { for (let s = 0; s < sectors; s++) vertices.push([r * Math.cos((2 * Math.PI * s) / sectors), r * Math.sin((2 * Math.PI * s) / sectors), z]); };
  profile.forEach(([r, z]) => ring(r, z));
  const at = (p, s) => p * sectors + (s % sectors);
  for (let s = 0; s < sectors; s++) {
    for (let p = 0; p + 1 < profile.length; p++) triangles.push([at(p, s), at(p, s + 1), at(p + 1, s + 1)], [at(p, s), at(p + 1, s + 1), at(p + 1, s)]);
    for (let p = 0; p < profile.length; p++) edges.push([at(p, s), at(p, s + 1)]);
  }
  for (let s = 1; s + 1 < sectors; s++) triangles.push([at(0, 0), at(0, s + 1), at(0, s)], [at(profile.length - 1, 0), at(profile.length - 1, s), at(profile.length - 1, s + 1)]);
  return { vertices, triangles, edges };
}

function box(x, y, z) {
  const vertices = Array.from({ length: 8 }, (_, i) => [i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z]);
  const quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
  return { vertices, triangles: quads.flatMap(([a, b, c, d]) => [[a, b, c], [a, c, d]]), edges: [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7]] };
}

/** With `unique`, no two parts share a mesh. */
export function make_report(count = 40, unique = false) {
  const meshes = [box(60, 40, 5), turned([[4, -20], [4, 8], [7, 8], [7, 13]]), turned([[4.2, 0], [8, 0], [8, 1.6], [4.2, 1.6]]), turned([[14, -6], [16, -6], [16, 6], [14, 6]], 48), turned([[2.5, -12], [2.5, 12]])];
  const names = ['base plate', 'bolt M8', 'washer', 'wheel', 'dowel pin'];
  const parts = [];
  const findings = [];
  const units = Math.ceil(count / 20);
  const side = Math.ceil(Math.sqrt(units));
  for (let u = 0; u < units; u++) {
    const [ox, oy] = [(u % side) * 140, Math.floor(u / side) * 100];
    const base = parts.length;
    for (let i = 0; i < 20 && parts.length < count; i++) {
      const mesh = i === 0 ? 0 : 1 + ((i - 1) % 4);
      const p = i === 0 ? [ox, oy, 0] : [ox - 48 + ((i - 1) % 5) * 24, oy - 28 + Math.floor((i - 1) / 5) * 18.5, mesh === 1 ? 5 : mesh === 2 ? 5 : mesh === 3 ? 14 : 2];
      const faults = mesh === 3 && u % 3 === 0 && i === 3 ? ['3 holes', '1 edge with three faces'] : [];
      parts.push({ name: `${names[mesh]}${i ? ` ${u + 1}.${i}` : ` ${u + 1}`}`, file: `unit_${u + 1}.step`, mesh, triangles: meshes[mesh].triangles.length, solid: !faults.length, class: faults.length ? 'open' : mesh === 0 ? 'convex' : 'closed', translation: p, rotation: [0, 0, 0, 1], colour: null, faults });
      if (i === 0) continue;
      const circle = (r, z) => Array.from({ length: 33 }, (_, s) => [p[0] + r * Math.cos((2 * Math.PI * s) / 32), p[1] + r * Math.sin((2 * Math.PI * s) / 32), z]).flat();
      const region = (r, z0, z1) => [[p[0] - r, p[1] - r, z0], [p[0] + r, p[1] + r, z1]];
      const since = i % 5 === 1 ? 'new' : i % 5 === 2 ? 'changed' : 'same';
      if (mesh === 1) findings.push({ a: base, b: base + i, kind: 'clash', since, depth: 4 - i * 0.13 - u * 0.01, separating_translation: [0, 0, 20 - i * 0.2], triangle_pairs: 128 + i, where: [p[0], p[1], 0], region: region(4, -5, 5), contours: [circle(4, 5), circle(4, -5)], contours_left_out: 0 });
      if (mesh === 4) findings.push({ a: base, b: base + i, kind: i % 8 === 0 ? 'inside' : 'clash', inner: 'b', since, depth: 2.5 - i * 0.05, separating_translation: [0, 0, 17], triangle_pairs: 64, where: [p[0], p[1], 2], region: region(2.5, -5, 5), contours: [circle(2.5, 5)], contours_left_out: i % 3 });
      if (mesh === 2) findings.push({ a: base, b: base + i, kind: 'touching', since, depth: 0, separating_translation: null, triangle_pairs: 40, where: [p[0] + 6, p[1], 5], region: region(8, 5, 5), contours: [], contours_left_out: 0 });
      if (mesh === 3) findings.push({ a: base, b: base + i, kind: 'near', since, depth: null, separating_translation: null, gap: 3, point_a: [p[0], p[1], 5], point_b: [p[0], p[1], 8], triangle_pairs: 0, where: null, region: null, contours: [], contours_left_out: 0 });
    }
  }
  findings.sort((a, b) => (b.depth ?? -1) - (a.depth ?? -1));
  // As the table of the program writes what is proved of a depth only from one side.
  findings.forEach((f, i) => { if (typeof f.depth === 'number' && i % 2 === 0) f.depth_text = `≤ ${f.depth.toPrecision(3)}`; });
  const number = (kind) => findings.filter((f) => f.kind === kind).length;
  const rows = Math.ceil(units / side);
  const packed = meshes.map(pack);
  return {
    protocol: 1, title: 'fixture <plates & bolts>.step', program: 'heurt 0.1.0', unit: 'mm',
    summary: { unit: 'mm', parts: parts.length, meshes: meshes.length, triangles: parts.reduce((s, p) => s + p.triangles, 0), pairs: (parts.length * (parts.length - 1)) / 2, pairs_tested: findings.length + 31, interfering: findings.length - number('near'), clash: number('clash'), inside: number('inside'), touching: number('touching'), touching_ignored: 0, listed_ignored: 2, shallow_ignored: 0, open: parts.filter((p) => p.class === 'open').length, failures: 1 },
    bounds: { min: [-60, -40, -15], max: [(side - 1) * 140 + 60, (rows - 1) * 100 + 40, 30] },
    meshes: unique ? parts.map((p, i) => { const text = packed[p.mesh]; p.mesh = i; return text; }) : packed, parts, findings,
    gone: [{ a: 'base plate 1', b: 'cover', kind: 'clash' }],
    notes: ['cover.step: cannot be read: line 14: entity #77 is missing; export it again', 'wheel 1.3 is open: its inside is not known'],
  };
}

const escape_html = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

/** Puts data, style and script into the template, as the program does. */
export function report_html(data) {
  const read = (file) => readFileSync(new URL(`../dist/${file}`, import.meta.url), 'utf8');
  const json = JSON.stringify(data).replace(/</g, '\\u003c');
  return read('report.html').replace(/\{\{TITLE\}\}|\/\*STYLE\*\/|\{\{DATA\}\}|\/\*SCRIPT\*\//g, (mark) => ({ '{{TITLE}}': escape_html(data.title), '/*STYLE*/': read('report.css'), '{{DATA}}': json, '/*SCRIPT*/': read('report.js') })[mark]);
}

if (process.argv[1] && import.meta.url.endsWith(process.argv[1].split('/').at(-1)) && process.argv[2]) {
  writeFileSync(process.argv[2], report_html(make_report(Number(process.argv[3] ?? 40))));
}
