// Axes gizmo: the world axes as seen by the camera; a click on an end looks along that axis.
import { Vector3, type Camera } from 'three';
import type { StandardView } from './camera';

const SVG = 'http://www.w3.org/2000/svg';
// Axis colours follow the convention of CAD; letters repeat them for readers who cannot separate colours.
const COLOURS = { x: '#e0524d', y: '#6aa84f', z: '#4a86e8' };

export class Gizmo {
  private readonly ends: { view: StandardView; direction: Vector3; group: SVGGElement; line: SVGLineElement | null }[] = [];

  constructor(
    private readonly svg: SVGSVGElement,
    look_from: (view: StandardView) => void,
  ) {
    svg.setAttribute('viewBox', '-50 -50 100 100');
    const add = <K extends keyof SVGElementTagNameMap>(parent: Element, tag: K, attributes: Record<string, string>): SVGElementTagNameMap[K] => {
      const element = document.createElementNS(SVG, tag);
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      parent.append(element);
      return element;
    };
    for (const axis of ['x', 'y', 'z'] as const) {
      for (const sign of [1, -1]) {
        const view = `${sign > 0 ? '+' : '-'}${axis}` as StandardView;
        const group = add(svg, 'g', { role: 'button', tabindex: '0', 'aria-label': `view from ${view.replace('-', 'minus ').replace('+', 'plus ')}`, 'data-view': view });
        const line = sign > 0 ? add(group, 'line', { x1: '0', y1: '0', stroke: COLOURS[axis], 'stroke-width': '3', 'stroke-linecap': 'round' }) : null;
        const circle = add(group, 'circle', { r: sign > 0 ? '10' : '7.5', fill: COLOURS[axis] });
        if (sign < 0) circle.setAttribute('fill-opacity', '0.3');
        add(group, 'title', {}).textContent = `View from ${view}`;
        if (sign > 0) {
          const text = add(group, 'text', { 'text-anchor': 'middle', dy: '4', 'font-size': '12', 'font-weight': '700', fill: '#ffffff' });
          text.textContent = axis.toUpperCase();
        }
        group.addEventListener('click', () => look_from(view));
        group.addEventListener('keydown', (event) => {
          if (event.key === 'Enter' || event.key === ' ') {
            event.preventDefault();
            look_from(view);
          }
        });
        this.ends.push({ view, direction: new Vector3(axis === 'x' ? sign : 0, axis === 'y' ? sign : 0, axis === 'z' ? sign : 0), group, line });
      }
    }
  }

  update(camera: Camera): void {
    const inverse = camera.matrixWorldInverse;
    const placed = this.ends.map((end) => ({ end, at: end.direction.clone().transformDirection(inverse) }));
    for (const { end, at } of placed) {
      const [x, y] = [at.x * 36, -at.y * 36];
      for (const child of end.group.children) {
        if (child instanceof SVGCircleElement || child instanceof SVGTextElement) child.setAttribute('transform', `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
      }
      end.line?.setAttribute('x2', (x * 0.75).toFixed(1));
      end.line?.setAttribute('y2', (y * 0.75).toFixed(1));
    }
    const order = [...placed].sort((a, b) => a.at.z - b.at.z).map((p) => p.end.view).join();
    if (this.svg.dataset.order !== order) {
      this.svg.dataset.order = order;
      const focused = document.activeElement;
      if (!focused || !this.svg.contains(focused)) {
        for (const { end } of [...placed].sort((a, b) => a.at.z - b.at.z)) this.svg.append(end.group);
      }
    }
  }
}
