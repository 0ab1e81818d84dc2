// Assembly of the report in three dimensions: all parts, and one pair taken out of them with contours, region and arrow.
import { Box3, Color, DoubleSide, Group, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshLambertMaterial, Sphere, Vector3 } from 'three';
import { decode_base64, decode_report_mesh } from '../codec';
import { OKABE_ITO, PAIR_COLOURS, PART_COLOURS, PLAIN_COLOUR } from '../palette';
import type { Finding, ReportData, Vec3 } from '../types';
import { Bodies } from '../view/bodies';
import { Caps, type Solid } from '../view/caps';
import { ThickLines, linear_colour } from '../view/lines';
import { Dots } from '../view/points';
import type { Viewport } from '../view/viewport';
import { MOST_SHOWN, kind_colour } from './data';

/** How the parts outside the pair are shown. */
export type Others = 'ghost' | 'hide' | 'show';

export class Assembly {
  readonly bodies: Bodies;
  /** Meshes that could not be read, one line each. */
  readonly faults: string[] = [];
  others: Others = 'ghost';
  extras = { contours: true, region: true, arrow: true };
  /** The second part is shown where the separating translation takes it. */
  separated = false;
  /** Where the label of the pair stands. */
  label_at: Vector3 | null = null;

  private readonly pair = new Group();
  private readonly caps = new Caps();
  private readonly contours = new ThickLines(3, { on_top: true, order: 8 });
  private readonly region = new ThickLines(1.3, { order: 6, opacity: 0.9 });
  private readonly arrow = new ThickLines(3, { on_top: true, order: 9 });
  private readonly dots = new Dots(9, 10);
  /** Parts with a finding. */
  private readonly involved: Set<number>;
  private finding: Finding | null = null;

  constructor(
    private readonly data: ReportData,
    private readonly viewport: Viewport,
  ) {
    this.bodies = new Bodies(data.parts.map((part) => part.mesh));
    data.meshes.forEach((text, k) => {
      try {
        this.bodies.add_mesh(k, decode_report_mesh(decode_base64(text)));
      } catch (error) {
        this.faults.push(`Mesh ${k} cannot be shown: ${(error as Error).message}`);
      }
    });
    const poses = new Float32Array(7 * data.parts.length);
    data.parts.forEach((part, i) => poses.set([...part.translation, ...part.rotation], 7 * i));
    this.bodies.set_poses(poses);
    this.involved = new Set(data.findings.flatMap(({ a, b }) => [a, b]));
    this.paint();
    viewport.set_bodies(this.bodies);
    viewport.on_cut = () => {
      this.paint();
      this.refresh();
    };
    viewport.scene.add(this.caps, this.pair, this.contours, this.region, this.arrow, this.dots);
  }

  /** Returns the colour of a part: as the report states it, or muted while a cut is on, where overlaps have the colours of kinds. */
  private colour_of(i: number): string {
    const part = this.data.parts[i]!;
    if (this.viewport.clipping) return this.involved.has(i) ? PART_COLOURS[i % PART_COLOURS.length]! : PLAIN_COLOUR;
    const stated = part.colour && /^#[0-9a-f]{6}$/i.test(part.colour) ? part.colour : null;
    return stated ?? PART_COLOURS[(part.mesh ?? i) % PART_COLOURS.length]!;
  }

  private paint(): void {
    const colour = new Color();
    this.data.parts.forEach((_, i) => this.bodies.set_colour(i, colour.set(this.colour_of(i))));
    this.bodies.update_colours();
  }

  bounds(): Sphere {
    const { min, max } = this.data.bounds;
    const box = new Box3(new Vector3(...min), new Vector3(...max));
    const sphere = box.isEmpty() ? new Sphere(new Vector3(), 1) : box.getBoundingSphere(new Sphere());
    if (!(sphere.radius > 0)) sphere.radius = 1;
    return sphere;
  }

  /** Returns the sphere that shows where a finding is. */
  place(finding: Finding): Sphere {
    const box = new Box3();
    for (const p of finding.region ?? []) box.expandByPoint(new Vector3(...p));
    for (const p of [finding.where, finding.point_a, finding.point_b]) if (p) box.expandByPoint(new Vector3(...p));
    const parts = [finding.a, finding.b].map((i) => this.bodies.sphere(i)).filter((s) => s !== null);
    const least = Math.min(...parts.map((s) => s.radius), this.bounds().radius);
    if (box.isEmpty()) return parts[0] ?? this.bounds();
    const sphere = box.getBoundingSphere(new Sphere());
    sphere.radius = Math.max(sphere.radius * 2.3, least * (finding.kind === 'near' ? 1 : 0.7));
    return sphere;
  }

  /** Returns the direction in which a finding is seen best from the side: along the gap or the separating translation. */
  axis(finding: Finding): Vector3 | null {
    if (finding.point_a && finding.point_b) return new Vector3(...finding.point_b).sub(new Vector3(...finding.point_a));
    return finding.separating_translation ? new Vector3(...finding.separating_translation) : null;
  }

  /** Takes a pair out of the assembly, or shows all parts again. */
  show(finding: Finding | null): void {
    this.finding = finding;
    this.viewport.outlined = finding && this.others === 'show' ? [finding.a, finding.b] : [];
    const isolated = finding !== null && this.others !== 'show';
    this.bodies.group.visible = !(isolated && this.others === 'hide');
    this.bodies.show({ surfaces: true, edges: !isolated && this.edges });
    this.bodies.set_opacity(isolated ? 0.07 : this.translucent ? 0.35 : 1);
    this.build_pair(isolated ? finding : null);
    this.fill_cut(isolated);
    this.draw_extras();
    this.viewport.invalidate();
  }

  edges = true;
  translucent = false;

  refresh(): void {
    this.show(this.finding);
  }

  private build_pair(finding: Finding | null): void {
    for (const child of this.pair.children) ((child as Mesh).material as MeshLambertMaterial).dispose();
    this.pair.clear();
    if (!finding) return;
    [finding.a, finding.b].forEach((part, side) => {
      const drawable = this.bodies.drawable(part);
      if (!drawable) return;
      const colour = PAIR_COLOURS[side]!;
      const surface = new Mesh(drawable.geometry, new MeshLambertMaterial({ color: colour, side: DoubleSide, transparent: true, opacity: 0.5, depthWrite: false }));
      surface.renderOrder = 2 + side;
      const edges = new LineSegments(drawable.edges, new LineBasicMaterial({ color: new Color(colour).multiplyScalar(0.55), transparent: true, opacity: 0.9 }));
      edges.renderOrder = 4;
      for (const object of [surface, edges]) {
        object.material.clippingPlanes = this.viewport.clipping;
        object.matrixAutoUpdate = false;
        object.matrix.copy(this.matrix_of(finding, side, drawable.matrix));
        this.pair.add(object);
      }
    });
  }

  /** Returns where a part of a pair is shown. */
  private matrix_of(finding: Finding, side: number, matrix: Matrix4): Matrix4 {
    if (side === 0 || !this.separated || !finding.separating_translation) return matrix;
    return new Matrix4().makeTranslation(...finding.separating_translation).multiply(matrix);
  }

  /** Fills the cut faces of solids, or of the pair alone, and the overlaps of the first findings, or of the chosen one. */
  private fill_cut(isolated: boolean): void {
    const plane = this.viewport.clipping?.[0] ?? null;
    const { finding } = this;
    // A part that is moved lies elsewhere.
    const solid = (part: number): Solid | null => {
      const drawable = this.data.parts[part]?.solid ? this.bodies.drawable(part) : null;
      const sphere = drawable && this.bodies.sphere(part);
      const is_moved = isolated && this.separated && part === finding!.b && finding!.separating_translation;
      if (!plane || !sphere || !(is_moved || Math.abs(plane.distanceToPoint(sphere.center)) <= sphere.radius)) return null;
      if (!is_moved) return { ...drawable!, sphere };
      sphere.center.add(new Vector3(...finding!.separating_translation!));
      return { ...drawable!, matrix: this.matrix_of(finding!, 1, drawable!.matrix), sphere };
    };
    const solids: (Solid & { colour: string })[] = [];
    const parts = isolated ? [finding!.a, finding!.b] : this.data.parts.map((_, i) => i);
    parts.forEach((part, side) => {
      const found = solid(part);
      if (found) solids.push({ ...found, colour: isolated ? PAIR_COLOURS[side]! : this.colour_of(part) });
    });
    const shown = finding ? [finding] : this.data.findings.slice(0, MOST_SHOWN);
    const overlaps = shown.flatMap(({ a, b, kind }) => {
      const [p, q] = kind === 'near' ? [] : [solid(a), solid(b)];
      return p && q ? [{ of: [p, q] as [Solid, Solid], colour: kind_colour(this.data, kind) }] : [];
    });
    this.caps.fill(plane, this.viewport.bounds, solids, overlaps);
  }

  private draw_extras(): void {
    const { finding, extras } = this;
    for (const set of [this.contours, this.region, this.arrow, this.dots]) set.begin();
    this.label_at = null;
    if (finding) {
      const where = finding.where ?? finding.point_a ?? finding.region?.[0];
      this.label_at = where ? new Vector3(...where) : null;
      if (extras.contours) {
        const tint = linear_colour(kind_colour(this.data, finding.kind));
        for (const c of finding.contours ?? []) {
          for (let i = 0; i + 5 < c.length; i += 3) this.contours.put(c[i]!, c[i + 1]!, c[i + 2]!, c[i + 3]!, c[i + 4]!, c[i + 5]!, tint);
        }
      }
      if (extras.region && finding.region) this.draw_box(finding.region);
      if (finding.where && finding.kind !== 'near') this.dots.put(...finding.where, linear_colour(kind_colour(this.data, finding.kind)));
      if (extras.arrow && finding.where && finding.separating_translation) this.draw_arrow(finding.where, finding.separating_translation);
      if (finding.point_a && finding.point_b) {
        const tint = linear_colour(kind_colour(this.data, 'near'));
        this.arrow.put(...finding.point_a, ...finding.point_b, tint);
        this.dots.put(...finding.point_a, tint);
        this.dots.put(...finding.point_b, tint);
      }
    }
    for (const set of [this.contours, this.region, this.arrow, this.dots]) set.end();
  }

  private draw_box([p, q]: [Vec3, Vec3]): void {
    const tint = linear_colour(OKABE_ITO.grey);
    const corner = (bits: number): [number, number, number] => [bits & 1 ? q[0] : p[0], bits & 2 ? q[1] : p[1], bits & 4 ? q[2] : p[2]];
    for (let i = 0; i < 8; i++) {
      for (const bit of [1, 2, 4]) if (!(i & bit)) this.region.put(...corner(i), ...corner(i | bit), tint);
    }
  }

  private draw_arrow(from: Vec3, by: Vec3): void {
    // The second part moves along the arrow, which has its colour.
    const tint = linear_colour(PAIR_COLOURS[1]);
    const start = new Vector3(...from);
    const along = new Vector3(...by);
    const length = along.length();
    if (!(length > 0)) return;
    const tip = start.clone().add(along);
    this.arrow.put(...start.toArray(), ...tip.toArray(), tint);
    const back = along.clone().multiplyScalar(-0.28);
    const side = new Vector3(Math.abs(along.x) < 0.7 * length ? 1 : 0, Math.abs(along.x) < 0.7 * length ? 0 : 1, 0).cross(along).setLength(0.12 * length);
    const other = side.clone().cross(along).setLength(0.12 * length);
    for (const offset of [side, side.clone().negate(), other, other.clone().negate()]) this.arrow.put(...tip.toArray(), ...tip.clone().add(back).add(offset).toArray(), tint);
  }
}
