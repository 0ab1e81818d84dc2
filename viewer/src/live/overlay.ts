// Overlay: what a frame shows besides bodies: contacts, triangles that intersect, lines, boxes, points and faces.
import { BufferGeometry, DynamicDrawUsage, Float32BufferAttribute, Group, InstancedBufferAttribute, LineBasicMaterial, type InstancedMesh, type Plane } from 'three';
import type { Frame, Records } from '../codec';
import { COLOURS, CONTACT_COLOURS, MEANING_COLOURS, meaning_colour } from '../palette';
import { InstancedLines, ThickLines, linear_colour } from '../view/lines';
import { Dots } from '../view/points';
import { TriangleSet } from '../view/triangles';

export interface OverlayOptions {
  contacts: boolean;
  triangles: boolean;
  /** Reports whether things of this kind of meaning are shown. */
  shows: (kind: number) => boolean;
  /** Length of normals, in units of the scene. */
  normal_length: number;
  /** Length of an impulse of 1 N·s, in units of the scene. */
  impulse_scale: number;
}

/** Corners of the unit box by bits of x, y, z, and its edges. */
const BOX_EDGES = [0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7];

function unit_box(): BufferGeometry {
  const geometry = new BufferGeometry();
  const corners = Array.from({ length: 8 }, (_, i) => [i & 1, (i >> 1) & 1, (i >> 2) & 1]).flat();
  geometry.setAttribute('position', new Float32BufferAttribute(corners, 3));
  geometry.setIndex(BOX_EDGES);
  return geometry;
}

export class Overlay {
  readonly group = new Group();
  private readonly contact_dots = new Dots(8, 8);
  private readonly contact_lines = new ThickLines(2, { on_top: true, order: 7 });
  private readonly triangles = new TriangleSet(1, 2);
  private readonly lines = new ThickLines(1.6, { order: 5 });
  private readonly dots = new Dots(6, 6);
  private readonly faces = new TriangleSet(0.3, 4);
  private boxes: InstancedLines;
  private box_capacity = 0;

  constructor() {
    this.boxes = this.new_boxes(64);
    this.group.add(this.contact_dots, this.contact_lines, this.triangles, this.lines, this.dots, this.faces);
  }

  private new_boxes(capacity: number): InstancedLines {
    this.box_capacity = capacity;
    const matrices = new InstancedBufferAttribute(new Float32Array(16 * capacity), 16).setUsage(DynamicDrawUsage);
    const boxes = new InstancedLines(unit_box(), new LineBasicMaterial({ transparent: true, opacity: 0.9 }), matrices, 0);
    boxes.instanceColor = new InstancedBufferAttribute(new Float32Array(3 * capacity), 3).setUsage(DynamicDrawUsage);
    boxes.renderOrder = 3;
    this.group.add(boxes);
    return boxes;
  }

  /** Takes triangles and faces away where a cut takes the surfaces away. */
  set_cut(planes: Plane[] | null): void {
    for (const set of [this.triangles, this.faces]) set.material.clippingPlanes = planes;
  }

  show(frame: Frame, options: OverlayOptions): void {
    this.show_contacts(options.contacts ? frame.cont : undefined, options);
    const tint = linear_colour(COLOURS.intersecting);
    this.triangles.begin();
    if (frame.tris && options.triangles) {
      for (let i = 0; i < frame.tris.count; i++) this.triangles.put(frame.tris.f32, i * frame.tris.stride + 1, tint);
    }
    this.triangles.end();

    this.lines.begin();
    this.each(frame.line, 6, options, (r, at, colour) => {
      const f = r.f32;
      this.lines.put(f[at]!, f[at + 1]!, f[at + 2]!, f[at + 3]!, f[at + 4]!, f[at + 5]!, colour);
    });
    this.lines.end();
    this.dots.begin();
    this.each(frame.pnts, 3, options, (r, at, colour) => this.dots.put(r.f32[at]!, r.f32[at + 1]!, r.f32[at + 2]!, colour));
    this.dots.end();
    this.faces.begin();
    this.each(frame.face, 9, options, (r, at, colour) => this.faces.put(r.f32, at, colour));
    this.faces.end();
    this.show_boxes(frame.boxs, options);
  }

  private each(records: Records | undefined, meaning_at: number, options: OverlayOptions, put: (r: Records, at: number, colour: [number, number, number]) => void): void {
    if (!records) return;
    for (let i = 0; i < records.count; i++) {
      const at = i * records.stride;
      const meaning = records.u32[at + meaning_at]!;
      if (options.shows(meaning & 255)) put(records, at, linear_colour(meaning_colour(meaning)));
    }
  }

  private show_contacts(contacts: Records | undefined, options: OverlayOptions): void {
    this.contact_dots.begin();
    this.contact_lines.begin();
    const impulse_colour = linear_colour(MEANING_COLOURS[7]!);
    for (let i = 0; contacts && i < contacts.count; i++) {
      const at = i * contacts.stride;
      const f = contacts.f32;
      const colour = linear_colour(CONTACT_COLOURS[contacts.u32[at + 2]!] ?? COLOURS.colliding);
      const [x, y, z, nx, ny, nz] = [f[at + 3]!, f[at + 4]!, f[at + 5]!, f[at + 6]!, f[at + 7]!, f[at + 8]!];
      this.contact_dots.put(x, y, z, colour);
      const n = options.normal_length;
      this.contact_lines.put(x, y, z, x + nx * n, y + ny * n, z + nz * n, colour);
      const length = f[at + 10]! * options.impulse_scale;
      if (length > 0) this.put_arrow([x, y, z], [nx, ny, nz], length, impulse_colour);
    }
    this.contact_dots.end();
    this.contact_lines.end();
  }

  private put_arrow(from: number[], n: number[], length: number, colour: [number, number, number]): void {
    const [x, y, z] = from as [number, number, number];
    const [nx, ny, nz] = n as [number, number, number];
    const tip = [x + nx * length, y + ny * length, z + nz * length] as const;
    this.contact_lines.put(x, y, z, ...tip, colour);
    // Four barbs around the direction: some are seen from every side.
    const a = Math.abs(nx) < 0.7 ? [0, nz, -ny] : [-nz, 0, nx];
    const size = Math.hypot(a[0]!, a[1]!, a[2]!) || 1;
    const [ax, ay, az] = [a[0]! / size, a[1]! / size, a[2]! / size];
    const [bx, by, bz] = [ny * az - nz * ay, nz * ax - nx * az, nx * ay - ny * ax];
    const barb = Math.min(0.25 * length, 0.8 * this.barb);
    for (const [p, q] of [[1, 0], [-1, 0], [0, 1], [0, -1]] as const) {
      const w = barb * 0.45;
      this.contact_lines.put(
        ...tip,
        tip[0] - nx * barb + (ax * p + bx * q) * w, tip[1] - ny * barb + (ay * p + by * q) * w, tip[2] - nz * barb + (az * p + bz * q) * w,
        colour,
      );
    }
  }

  /** Greatest length of the barbs of arrows. */
  barb = Infinity;

  private show_boxes(records: Records | undefined, options: OverlayOptions): void {
    const wanted = records?.count ?? 0;
    if (wanted > this.box_capacity) {
      this.group.remove(this.boxes);
      this.boxes.geometry.dispose();
      (this.boxes as unknown as InstancedMesh).dispatchEvent({ type: 'dispose' }); // Frees the matrices on the card.
      this.boxes = this.new_boxes(Math.max(wanted, 2 * this.box_capacity));
    }
    const matrices = this.boxes.instanceMatrix.array as Float32Array;
    const colours = this.boxes.instanceColor!.array as Float32Array;
    let count = 0;
    this.each(records, 6, options, (r, at, colour) => {
      const f = r.f32;
      const to = 16 * count;
      matrices.fill(0, to, to + 16);
      for (let axis = 0; axis < 3; axis++) {
        matrices[to + 5 * axis] = f[at + 3 + axis]! - f[at + axis]!;
        matrices[to + 12 + axis] = f[at + axis]!;
      }
      matrices[to + 15] = 1;
      colours.set(colour, 3 * count++);
    });
    this.boxes.count = count;
    this.boxes.visible = count > 0;
    this.boxes.instanceMatrix.needsUpdate = true;
    this.boxes.instanceColor!.needsUpdate = true;
  }
}
