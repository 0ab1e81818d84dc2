// Badges: the numbers of the first findings at their places, in the colour of their kind, while no pair is chosen.
import { Vector3 } from 'three';
import { h } from '../dom';
import type { Finding, ReportData } from '../types';
import type { Viewport } from '../view/viewport';
import { MOST_SHOWN, kind_colour } from './data';

interface Point {
  x: number;
  y: number;
}

/** Room of a badge with a number of two digits, in pixels. */
const ROOM = { x: 30, y: 23 };
/** A badge that is moved no farther than this has no line to its place. */
const NO_LINE = 4;

/**
 * Returns where badges stand that would cover each other at their places: the first one stays, each other one goes to the
 * nearest free point on rings around its place. The same places give the same result.
 */
export function spread(places: Point[]): Point[] {
  const put: Point[] = [];
  const is_free = (at: Point): boolean => put.every((other) => Math.abs(other.x - at.x) >= ROOM.x || Math.abs(other.y - at.y) >= ROOM.y);
  for (const place of places) put.push(nearest_free(place, is_free));
  return put;
}

function nearest_free(place: Point, is_free: (at: Point) => boolean): Point {
  const SECTORS = 16;
  const STEP = 8;
  if (is_free(place)) return place;
  // Each badge takes less than four rings of this width away.
  for (let ring = 3; ring < 4 * MOST_SHOWN; ring++) {
    for (let sector = 0; sector < SECTORS; sector++) {
      const angle = (2 * Math.PI * sector) / SECTORS;
      const at = { x: place.x + ring * STEP * Math.cos(angle), y: place.y - ring * STEP * Math.sin(angle) };
      if (is_free(at)) return at;
    }
  }
  return place;
}

const SVG = 'http://www.w3.org/2000/svg';

export class Badges {
  private readonly element = h('div', { class: 'badges' });
  private readonly lines = document.createElementNS(SVG, 'svg');
  private readonly marks: { place: Vector3 | null; button: HTMLElement; line: SVGElement; dot: SVGElement }[];

  constructor(
    data: ReportData,
    private readonly viewport: Viewport,
    choose: (index: number) => void,
  ) {
    this.element.append(this.lines);
    const name = (part: number): string => data.parts[part]?.name ?? `#${part}`;
    const draw = (tag: string, attributes: Record<string, string>): SVGElement => {
      const shape = document.createElementNS(SVG, tag);
      for (const [key, value] of Object.entries(attributes)) shape.setAttribute(key, value);
      this.lines.append(shape);
      return shape;
    };
    this.marks = data.findings.slice(0, MOST_SHOWN).map((finding, i) => {
      const button = h('button', { class: finding.kind, 'data-badge': i, title: `${finding.kind}: ${name(finding.a)}, ${name(finding.b)}`, click: () => choose(i) }, String(i + 1));
      this.element.append(button);
      const colour = kind_colour(data, finding.kind);
      return { place: place_of(finding), button, line: draw('line', { stroke: colour }), dot: draw('circle', { fill: colour, r: '3.5' }) };
    });
    viewport.canvas.after(this.element);
  }

  /** Moves the badges to their places on the screen, and from each other; hides them while they are not wanted. */
  place(is_shown: boolean): void {
    this.element.hidden = !is_shown;
    if (!is_shown) return;
    const box = this.viewport.canvas.getBoundingClientRect();
    const seen = this.marks.flatMap((mark) => {
      if (!mark.place) return [];
      const { x, y } = this.viewport.project(mark.place);
      const at = { x: x - box.left, y: y - box.top };
      return at.x >= 0 && at.x <= box.width && at.y >= 0 && at.y <= box.height ? [{ mark, at }] : [];
    });
    const put = spread(seen.map(({ at }) => at));
    for (const { button, line, dot } of this.marks) {
      button.hidden = true;
      for (const shape of [line, dot]) shape.setAttribute('visibility', 'hidden');
    }
    seen.forEach(({ mark: { button, line, dot }, at }, i) => {
      const { x, y } = put[i]!;
      button.hidden = false;
      button.style.transform = `translate(${x.toFixed(0)}px, ${y.toFixed(0)}px) translate(-50%, -50%)`;
      if (Math.hypot(x - at.x, y - at.y) <= NO_LINE) return;
      for (const [shape, values] of [[line, { x1: at.x, y1: at.y, x2: x, y2: y }], [dot, { cx: at.x, cy: at.y }]] as const) {
        shape.setAttribute('visibility', 'visible');
        for (const [key, value] of Object.entries(values)) shape.setAttribute(key, value.toFixed(1));
      }
    });
  }
}

function place_of(finding: Finding): Vector3 | null {
  if (finding.where) return new Vector3(...finding.where);
  if (finding.point_a && finding.point_b) return new Vector3(...finding.point_a).add(new Vector3(...finding.point_b)).multiplyScalar(0.5);
  return null;
}
