// List of parts: name, class, triangles and faults; a part can be hidden, and its findings shown.
import { count_text, h, set_text } from '../dom';
import type { ReportData } from '../types';
import { VirtualList } from '../virtual_list';

const ROW_HEIGHT = 44;

export class PartsView {
  readonly element = h('div', { class: 'tab-body', id: 'parts', hidden: true });
  selected: number | null = null;
  on_choose: (part: number) => void = () => {};
  on_eye: (part: number) => boolean = () => false;
  on_findings: (part: number) => void = () => {};
  private order: number[] = [];
  private faults_only = false;
  private readonly findings_of: number[];
  private readonly list: VirtualList;
  private readonly rows = h('div', { class: 'virtual rows', role: 'listbox', tabindex: 0, 'aria-label': 'parts' });
  private readonly search = h('input', { type: 'search', placeholder: 'Search: part, file, class, fault', 'aria-label': 'search parts', autocomplete: 'off', input: () => this.update() });
  private readonly shown = h('span', { class: 'faint num' });
  private readonly hidden = new Set<number>();

  constructor(private readonly data: ReportData) {
    this.findings_of = data.parts.map(() => 0);
    for (const { a, b } of data.findings) for (const part of [a, b]) if (this.findings_of[part] !== undefined) this.findings_of[part]!++;
    const faulty = data.parts.filter((part) => (part.faults?.length ?? 0) > 0).length;
    const chip = h('button', { class: 'kind-chip', 'aria-pressed': 'false', title: 'Only parts with faults', click: () => {
      this.faults_only = !this.faults_only;
      chip.setAttribute('aria-pressed', String(this.faults_only));
      this.update();
    } }, 'with faults ', h('b', { class: 'num' }, count_text(faulty)));
    this.element.append(h('div', { class: 'filters' }, this.search, h('div', { class: 'chips' }, faulty > 0 ? chip : null)), this.rows, h('div', { class: 'below' }, this.shown));
    this.list = new VirtualList(this.rows, ROW_HEIGHT, (i) => this.row(i));
    this.update();
  }

  private row(i: number): HTMLElement {
    const index = this.order[i]!;
    const part = this.data.parts[index]!;
    const eye = h('button', { class: 'icon eye', 'aria-pressed': String(this.hidden.has(index)), 'aria-label': `hide ${part.name}`, title: 'Hide or show this part', click: (event: Event) => {
      event.stopPropagation();
      if (this.on_eye(index)) this.hidden.add(index);
      else this.hidden.delete(index);
      eye.setAttribute('aria-pressed', String(this.hidden.has(index)));
      row.classList.toggle('gone', this.hidden.has(index));
    } }, this.hidden.has(index) ? '○' : '●');
    const count = this.findings_of[index]!;
    const row = h('div', { class: `row${this.hidden.has(index) ? ' gone' : ''}`, role: 'option', 'data-part': index, 'aria-selected': String(index === this.selected), title: `${part.name}\n${part.file}`, click: () => this.choose(index) },
      eye,
      h('span', { class: 'cell parts' }, h('span', { class: 'name' }, part.name),
        h('span', { class: `name ${part.faults?.length ? 'fault' : 'faint'}` }, part.faults?.length ? `${part.class}: ${part.faults.join(', ')}` : part.class)),
      h('span', { class: 'cell depth num faint' }, `${count_text(part.triangles)} △`),
      count > 0 ? h('button', { class: 'count-button num', title: 'Show the findings of this part', click: (event: Event) => {
        event.stopPropagation();
        this.on_findings(index);
      } }, count_text(count)) : h('span', { class: 'count-button none' }));
    return row;
  }

  choose(index: number): void {
    this.select(index);
    this.on_choose(index);
  }

  select(index: number | null): void {
    this.selected = index;
    for (const row of this.list.shown().values()) row.setAttribute('aria-selected', String(row.dataset.part === String(index)));
    const at = index === null ? -1 : this.order.indexOf(index);
    if (at >= 0) this.list.scroll_to(at);
  }

  focus_search(): void {
    this.search.focus();
  }

  update(): void {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    this.order = [];
    this.data.parts.forEach((part, i) => {
      if (this.faults_only && !part.faults?.length) return;
      const text = `${part.name} ${part.file} ${part.class} ${part.faults?.join(' ') ?? ''}`.toLowerCase();
      if (words.every((word) => text.includes(word))) this.order.push(i);
    });
    set_text(this.shown, `${count_text(this.order.length)} of ${count_text(this.data.parts.length)} parts`);
    this.list.reset(this.order.length);
  }
}
