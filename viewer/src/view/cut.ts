// Cut: a plane across an axis takes away what is in front of it, so that the inside can be seen.
import { Plane, Vector3 } from 'three';
import { h } from '../dom';
import type { Viewport } from './viewport';

const CHOICES = ['off', '+x', '-x', '+y', '-y', '+z', '-z'] as const;

/** Builds the control of the cut: a choice of the side that is taken away, and a slider from one end of the scene to the other. */
export function cut_control(viewport: Viewport): HTMLElement {
  const choice = h('select', { 'aria-label': 'side that the cut takes away', title: 'Cut the scene open: the side that is taken away', id: 'cut', change: () => apply() });
  for (const value of CHOICES) choice.append(new Option(value === 'off' ? 'off' : value.replace('-', '−'), value));
  const slider = h('input', { type: 'range', min: 0, max: 1, step: 0.002, value: 0.5, 'aria-label': 'place of the cut', id: 'cut-place', input: () => apply() });
  slider.hidden = true;
  const apply = (): void => {
    const value = choice.value as (typeof CHOICES)[number];
    slider.hidden = value === 'off';
    if (value === 'off') return viewport.set_cut(null);
    const axis = 'xyz'.indexOf(value[1]!);
    const sign = value[0] === '+' ? 1 : -1;
    const { center, radius } = viewport.bounds;
    const at = center.getComponent(axis) + (2 * Number(slider.value) - 1) * radius * 1.001;
    // Points at a positive distance from the plane stay.
    viewport.set_cut(new Plane(new Vector3().setComponent(axis, -sign), sign * at));
  };
  return h('div', { class: 'cut' }, h('span', { class: 'faint' }, 'Cut'), choice, slider);
}
