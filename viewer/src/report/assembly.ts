// Assembly of the report in three dimensions: all parts, and one pair taken out of them with contours, region and arrow.
import { Box3, Color, DoubleSide, Group, LineBasicMaterial, LineSegments, Mesh, MeshLambertMaterial, Sphere, Vector3 } from 'three';
import { decode_base64, decode_report_mesh } from '../codec';
import { OKABE_ITO, PAIR_COLOURS, PART_COLOURS } from '../palette';
import type { Finding, ReportData, Vec3 } from '../types';
import { Bodies } from '../view/bodies';
import { ThickLines, linear_colour } from '../view/lines';
import { Dots } from '../view/points';
import type { Viewport } from '../view/viewport';
import { kind_colour } from './data';

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
  private readonly contours = new ThickLines(3, { on_top: true, order: 8 });
  private readonly region = new ThickLines(1.3, { order: 6, opacity: 0.9 });
  private readonly arrow = new ThickLines(3, { on_top: true, order: 9 });
  private readonly dots = new Dots(9, 10);
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
    const colour = new Color();
    data.parts.forEach((part, i) => {
      poses.set([...part.translation, ...part.rotation], 7 * i);
      const stated = part.colour && /^#[0-9a-f]{6}$/i.test(part.colour) ? part.colour : null;
      this.bodies.set_colour(i, colour.set(stated ?? PART_COLOURS[(part.mesh ?? i) % PART_COLOURS.length]!));
    });
    this.bodies.set_poses(poses);
    this.bodies.update_colours();
    viewport.set_bodies(this.bodies);
    viewport.on_cut = () => this.refresh();
    viewport.scene.add(this.pair, this.contours, this.region, this.arrow, this.dots);
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
        object.matrix.copy(drawable.matrix);
        if (side === 1 && this.separated && finding.separating_translation) {
          for (let axis = 0; axis < 3; axis++) object.matrix.elements[12 + axis]! += finding.separating_translation[axis]!;
        }
        this.pair.add(object);
      }
    });
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
