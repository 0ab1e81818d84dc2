// Panel of the selected body: what the scene states, and the live state that the server sends.
import { Euler, Quaternion } from 'three';
import { by_id, h, number_text, set_text, vector_text } from '../dom';
import type { BodyState, SceneBody, SceneInfo } from '../types';

const DEGREES = 180 / Math.PI;

/** Returns the number of decimals that shows four digits of a scene of this size. */
export function decimals_for(radius: number): number {
  return Math.min(7, Math.max(1, 3 - Math.floor(Math.log10(radius || 1))));
}

export class BodyPanel {
  private readonly values = new Map<string, HTMLElement>();
  private readonly decimals: number;

  constructor(
    private readonly scene: SceneInfo,
    radius: number,
  ) {
    this.decimals = decimals_for(radius);
  }

  select(index: number | null, actions: { fly: () => void; clear: () => void }): void {
    const panel = by_id('body-detail');
    this.values.clear();
    if (index === null) {
      panel.replaceChildren(h('p', { class: 'faint' }, 'Click a body in the view or in the list.'));
      return;
    }
    const body = this.scene.bodies[index]!;
    const list = h('dl', { class: 'facts' });
    const row = (label: string, value: string | null): void => {
      const cell = h('dd', {}, value ?? '–');
      if (value === null) this.values.set(label, cell);
      list.append(h('dt', {}, label), cell);
    };
    row('Kind', body.kind);
    row('Shape', body.shape);
    const is_agent = body.kind === 'agent';
    if (!is_agent) row('Mass', body.mass === null ? '–' : `${number_text(body.mass)} kg`);
    if (!is_agent && body.mesh !== null) row('Mesh', String(body.mesh));
    const labels = is_agent ? ['Group', 'Translation', 'Velocity', 'Speed', 'Own speed'] : ['Translation', 'Rotation', 'Velocity', 'Speed', 'Turning', 'State', 'Contacts'];
    for (const label of labels) {
      if (this.scene.mode === 'run' || label === 'Translation' || label === 'Rotation') row(label, null);
    }
    panel.replaceChildren(
      h('div', { class: 'body-head' }, h('strong', { id: 'body-name' }, body.name), h('span', { class: 'faint' }, `#${index}`)),
      h('div', { class: 'buttons' },
        h('button', { click: actions.fly, title: 'Zoom to this body (Shift+F)' }, 'Zoom to'),
        h('button', { click: actions.clear, title: 'Select nothing (Esc)' }, 'Clear')),
      list,
    );
  }

  private set(label: string, text: string): void {
    const cell = this.values.get(label);
    if (cell) set_text(cell, text);
  }

  /** Shows the pose of a frame. */
  show_pose(poses: Float32Array, body: number): void {
    const unit = this.scene.unit;
    this.set('Translation', `${vector_text(poses.subarray(7 * body, 7 * body + 3), this.decimals)} ${unit}`);
    const euler = new Euler().setFromQuaternion(new Quaternion().fromArray(poses, 7 * body + 3), 'ZYX');
    this.set('Rotation', `${vector_text([euler.x * DEGREES, euler.y * DEGREES, euler.z * DEGREES], 1)} °`);
  }

  /** Shows what the server reports of the body. */
  show_state(state: BodyState): void {
    const unit = this.scene.unit;
    this.set('Velocity', `${vector_text(state.velocity, this.decimals)} ${unit}/s`);
    this.set('Speed', `${number_text(Math.hypot(...state.velocity))} ${unit}/s`);
    if (state.angular_velocity) this.set('Turning', `${number_text(Math.hypot(...state.angular_velocity))} rad/s`);
    if (state.asleep !== undefined) this.set('State', state.asleep ? 'asleep' : 'awake');
    if (state.contacts !== undefined) this.set('Contacts', String(state.contacts));
    if (state.own_speed !== undefined) this.set('Own speed', `${number_text(state.own_speed)} ${unit}/s`);
    if (state.group !== undefined) this.set('Group', state.group);
  }
}

/** Describes a body in one word or two for the list. */
export function short_state(body: SceneBody, bits: number): string {
  if (bits & 8) return 'not there';
  if (bits & 4) return 'held';
  if (bits & 1) return 'asleep';
  if (bits & 2) return 'touches';
  return body.kind === 'dynamic' || body.kind === 'agent' ? '' : body.kind;
}
