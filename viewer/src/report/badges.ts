// Badges: the numbers of the first findings at their places, in the colour of their kind, while no pair is chosen.
import { Vector3 } from 'three';
import { h } from '../dom';
import type { Finding, ReportData } from '../types';
import type { Viewport } from '../view/viewport';

/** Findings that have a badge: as many as the picture of the program numbers. */
const MOST = 20;

export class Badges {
  private readonly element = h('div', { class: 'badges' });
  private readonly places: (Vector3 | null)[];

  constructor(
    data: ReportData,
    private readonly viewport: Viewport,
    choose: (index: number) => void,
  ) {
    const first = data.findings.slice(0, MOST);
    this.places = first.map(place_of);
    first.forEach((finding, i) => {
      const name = (part: number): string => data.parts[part]?.name ?? `#${part}`;
      this.element.append(h('button', { class: finding.kind, 'data-badge': i, title: `${finding.kind}: ${name(finding.a)}, ${name(finding.b)}`, click: () => choose(i) }, String(i + 1)));
    });
    viewport.canvas.after(this.element);
  }

  /** Moves the badges to their places on the screen; hides them while they are not wanted. */
  place(is_shown: boolean): void {
    this.element.hidden = !is_shown;
    if (!is_shown) return;
    const box = this.viewport.canvas.getBoundingClientRect();
    [...this.element.children].forEach((badge, i) => {
      const at = this.places[i];
      const button = badge as HTMLElement;
      button.hidden = !at;
      if (!at) return;
      const { x, y } = this.viewport.project(at);
      button.style.transform = `translate(${(x - box.left).toFixed(0)}px, ${(y - box.top).toFixed(0)}px) translate(-50%, -50%)`;
    });
  }
}

function place_of(finding: Finding): Vector3 | null {
  if (finding.where) return new Vector3(...finding.where);
  if (finding.point_a && finding.point_b) return new Vector3(...finding.point_a).add(new Vector3(...finding.point_b)).multiplyScalar(0.5);
  return null;
}
