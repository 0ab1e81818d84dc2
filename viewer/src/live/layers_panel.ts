// Layers panel: what the server can show, what the page shows by itself, and the legend of colours.
import { by_id, h, set_text } from '../dom';
import { COLOURS, KIND_COLOURS, MEANING_COLOURS, MEANING_NAMES, MEANING_TREE, meaning_colour } from '../palette';
import type { SceneInfo } from '../types';

export interface LocalToggles {
  surfaces: boolean;
  edges: boolean;
  translucent: boolean;
  axes: boolean;
  grid: boolean;
  sleeping: boolean;
  touching: boolean;
  tint: boolean;
}

const TOGGLES: [name: keyof LocalToggles, label: string, title: string][] = [
  ['surfaces', 'Surfaces', 'Show the surfaces of bodies'],
  ['edges', 'Edges', 'Show feature edges (L)'],
  ['translucent', 'See-through', 'Make surfaces translucent (X)'],
  ['grid', 'Grid', 'Show a grid on the ground'],
  ['axes', 'Axes', 'Show the axes of the world'],
  ['sleeping', 'Sleeping', 'Tint sleeping bodies'],
  ['touching', 'Touching', 'Tint bodies that touch another'],
  ['tint', 'Colour scale', 'Colour bodies by the scale of the scene'],
];

/** Layers that are shown at the start where the scene does not say. */
const AT_START = ['contacts', 'triangles'];

/** Words for drawn items that found no room in a frame; none for 0. */
export function left_out_text(count: number): string {
  if (count === 0) return '';
  const items = count === 1 ? '1 more item is' : `${count.toLocaleString('en')} more items are`;
  return `${items} not drawn: show fewer layers.`;
}

export class LayersPanel {
  readonly on = new Set<string>();
  readonly local: LocalToggles = { surfaces: true, edges: true, translucent: false, axes: false, grid: true, sleeping: true, touching: false, tint: true };
  level = 0;
  /** The factor of the impulse slider. */
  impulse = 1;
  on_layers: () => void = () => {};
  on_local: () => void = () => {};
  private readonly impulse_note = h('p', { class: 'impulse-note faint num' });
  private readonly left_out_note = h('p', { class: 'left-out faint' });
  private readonly boxes = new Map<string, HTMLInputElement>();

  constructor(private readonly scene: SceneInfo) {
    const list = by_id('layer-list');
    for (const layer of scene.layers) {
      if (layer.on ?? AT_START.includes(layer.name)) this.on.add(layer.name);
      list.append(this.check(layer.label, `layer-${layer.name}`, this.on.has(layer.name), (on) => {
        if (on) this.on.add(layer.name);
        else this.on.delete(layer.name);
        this.arrange();
        this.on_layers();
      }));
      if (layer.levels && layer.levels > 1) list.append(this.slider(layer.name, 'Level', 0, layer.levels - 1, 1, 0, String, (value) => {
        this.level = value;
        this.on_layers();
      }));
      if (layer.name === 'contacts' && scene.mode === 'run') list.append(this.slider('contacts', 'Impulse', -2, 2, 0.1, 0, (v) => `×${Number((10 ** v).toPrecision(2))}`, (value) => {
        this.impulse = 10 ** value;
        this.on_local();
      }), this.impulse_note);
    }
    this.left_out_note.hidden = true;
    list.append(this.left_out_note);
    if (scene.layers.length === 0) list.append(h('p', { class: 'faint' }, 'This scene has no layers.'));
    for (const [name, label, title] of TOGGLES) {
      const is_state = name === 'sleeping' || name === 'touching';
      if (name === 'tint' ? !scene.tint : is_state && (scene.mode === 'files' || scene.tint)) continue;
      const item = this.check(label, `local-${name}`, this.local[name], (on) => {
        this.local[name] = on;
        this.arrange();
        this.on_local();
      });
      item.title = title;
      by_id('local-list').append(item);
    }
    this.arrange();
  }

  private check(label: string, id: string, on: boolean, change: (on: boolean) => void): HTMLElement {
    const box = h('input', { type: 'checkbox', id, checked: on, change: () => change(box.checked) });
    this.boxes.set(id, box);
    return h('label', { class: 'check', for: id }, box, h('span', {}, label));
  }

  private slider(of: string, label: string, min: number, max: number, step: number, value: number, text: (v: number) => string, change: (v: number) => void): HTMLElement {
    const output = h('output', { class: 'num' }, text(value));
    const input = h('input', {
      type: 'range', min, max, step, value, 'aria-label': `${label} of ${of}`, id: `slider-${of}`,
      input: () => {
        set_text(output, text(Number(input.value)));
        change(Number(input.value));
      },
    });
    return h('div', { class: 'slider', 'data-of': of }, h('span', { class: 'faint' }, label), input, output);
  }

  /** Says how long the arrow of an impulse is. */
  describe_impulse(text: string): void {
    set_text(this.impulse_note, text);
    this.impulse_note.hidden = text === '' || !this.on.has('contacts');
  }

  /** Switches a toggle of the page, as by a key. */
  flip(name: keyof LocalToggles): void {
    const box = this.boxes.get(`local-${name}`);
    if (box) box.click();
  }

  /** Reports whether things of a kind of meaning are shown: no layer that is off draws them. */
  shows(kind: number): boolean {
    const owners = this.scene.layers.filter((layer) => layer.kinds?.includes(kind));
    return owners.length === 0 || owners.some((layer) => this.on.has(layer.name));
  }

  /** Reports whether a section with a layer of its own is shown. */
  shows_layer(name: string): boolean {
    return this.on.has(name) || !this.scene.layers.some((layer) => layer.name === name);
  }

  /** Reports that drawn items found no room in a frame. */
  show_left_out(count: number): void {
    this.left_out_note.hidden = count === 0;
    this.left_out_note.textContent = left_out_text(count);
  }

  message(): object {
    return { do: 'layers', on: [...this.on], level: this.level };
  }

  private arrange(): void {
    for (const slider of by_id('layer-list').querySelectorAll<HTMLElement>('.slider')) slider.hidden = !this.on.has(slider.dataset.of!);
    const rows: [string, string][] = [];
    if (this.shows_layer('contacts') && !this.scene.tint) {
      rows.push(['contact, colliding', COLOURS.colliding], ['contact, resting', COLOURS.resting], ['contact, separating', COLOURS.separating]);
      if (this.scene.mode === 'run') rows.push(['impulse', MEANING_COLOURS[7]!]);
    }
    if (this.shows_layer('triangles') && !this.scene.tint) rows.push(['triangle that intersects', COLOURS.intersecting]);
    for (const layer of this.scene.layers) {
      if (!this.on.has(layer.name)) continue;
      for (const kind of layer.kinds ?? []) {
        if (kind === MEANING_TREE) rows.push([`${MEANING_NAMES[kind]}, level 0 … 8`, `linear-gradient(90deg, ${Array.from({ length: 9 }, (_, i) => meaning_colour(kind | (i << 8))).join(',')})`]);
        else if (MEANING_NAMES[kind] && kind > 5) rows.push([MEANING_NAMES[kind]!, MEANING_COLOURS[kind]!]);
      }
    }
    const { tint } = this.scene;
    if (tint && this.local.tint) rows.push([`${tint.label}: ${tint.low} … ${tint.high}`, `linear-gradient(90deg, ${tint.colours.join(',')})`]);
    rows.push(['selected', COLOURS.selected]);
    // Parts have colours of their own, which mean nothing.
    for (const kind of new Set(this.scene.bodies.map((body) => body.kind))) if (kind !== 'part' && !tint) rows.push([`${kind} body`, KIND_COLOURS[kind] ?? '#999999']);
    if (this.local.sleeping && this.scene.mode === 'run' && !tint) rows.push(['sleeping body', SLEEPING]);
    by_id('legend').replaceChildren(...rows.map(([name, colour]) => {
      const swatch = h('span', { class: 'swatch' });
      swatch.style.background = colour;
      return h('div', { class: 'legend-row' }, swatch, h('span', { class: 'name' }, name));
    }));
  }
}

/** Colour that sleeping bodies are mixed with. */
export const SLEEPING = '#4b5a78';
