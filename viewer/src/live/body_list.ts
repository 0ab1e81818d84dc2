// List of bodies: a search field and a virtual list; a click selects a body and flies there.
import { by_id, count_text, h, set_text } from '../dom';
import type { SceneBody } from '../types';
import { VirtualList } from '../virtual_list';

const ROW_HEIGHT = 26;

export class BodyList {
  private matching: number[];
  private selected: number | null = null;
  private readonly list: VirtualList;
  private readonly search = by_id<HTMLInputElement>('body-search');

  constructor(
    private readonly bodies: SceneBody[],
    private readonly state_of: (body: number) => string,
    private readonly choose: (body: number) => void,
  ) {
    this.matching = bodies.map((_, i) => i);
    const element = by_id('body-list');
    this.list = new VirtualList(element, ROW_HEIGHT, (i) => this.row(i));
    this.search.oninput = () => this.filter();
    element.addEventListener('keydown', (event) => this.key(event));
    this.search.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && this.matching.length > 0) this.choose(this.matching[0]!);
      if (event.key === 'ArrowDown') element.focus();
    });
    this.filter();
  }

  private row(i: number): HTMLElement {
    const body = this.matching[i]!;
    const info = this.bodies[body]!;
    return h('div', {
      class: 'row', role: 'option', id: `body-${body}`, 'data-body': body, 'aria-selected': String(body === this.selected), title: info.name,
      click: () => this.choose(body),
    }, h('span', { class: `kind kind-${info.kind}`, 'aria-hidden': 'true' }), h('span', { class: 'name' }, info.name), h('span', { class: 'faint state' }, this.state_of(body)));
  }

  private filter(): void {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    this.matching = [];
    this.bodies.forEach((body, i) => {
      const text = `${body.name} ${body.kind} ${body.shape}`.toLowerCase();
      if (words.every((word) => text.includes(word))) this.matching.push(i);
    });
    const all = this.matching.length === this.bodies.length;
    set_text(by_id('body-count'), all ? count_text(this.bodies.length) : `${count_text(this.matching.length)} of ${count_text(this.bodies.length)}`);
    this.list.reset(this.matching.length);
  }

  private key(event: KeyboardEvent): void {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by === 0 || this.matching.length === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const at = this.selected === null ? -1 : this.matching.indexOf(this.selected);
    this.choose(this.matching[Math.min(this.matching.length - 1, Math.max(0, at + by))]!);
  }

  select(body: number | null): void {
    this.selected = body;
    for (const row of this.list.shown().values()) row.setAttribute('aria-selected', String(row.dataset.body === String(body)));
    const at = body === null ? -1 : this.matching.indexOf(body);
    if (at >= 0) {
      this.list.scroll_to(at);
      this.list.element.setAttribute('aria-activedescendant', `body-${body}`);
    }
  }

  /** Writes the states of the rows in sight again. */
  refresh(): void {
    for (const row of this.list.shown().values()) set_text(row.lastElementChild!, this.state_of(Number(row.dataset.body)));
  }
}
