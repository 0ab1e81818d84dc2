// List of findings: filters, sorting, and a virtual table; the chosen finding has its facts below.
import { count_text, h, number_text, set_text, vector_text } from '../dom';
import type { Finding, FindingKind, ReportData } from '../types';
import { VirtualList } from '../virtual_list';
import { KINDS, common_prefix, filter_findings, type FindingFilter, type SortKey } from './data';

const ROW_HEIGHT = 44;

/** Writes the depth or the gap of a finding with its unit. */
export function measure_text(finding: Finding, unit: string): string {
  if (finding.kind === 'near') return finding.gap === null || finding.gap === undefined ? '–' : `${number_text(finding.gap, 3)} ${unit}`.trim();
  if (finding.depth_text) return finding.depth_text === '–' ? '–' : `${finding.depth_text} ${unit}`.trim();
  return finding.depth === null || finding.depth === undefined ? '–' : `${number_text(finding.depth, 3)} ${unit}`.trim();
}

/** Keeps the end of a long path, which differs where the beginnings agree; the row's title has all of it. */
export function short_name(name: string, most = 24): string {
  if (name.length <= most || !name.includes('/')) return name;
  const parts = name.split('/');
  let end = parts.pop()!;
  while (parts.length > 0 && end.length + 1 + parts.at(-1)!.length <= most) end = `${parts.pop()}/${end}`;
  return parts.length > 0 ? `…/${end}` : end;
}

export class FindingsView {
  readonly element = h('div', { class: 'tab-body findings', id: 'findings' });
  readonly filter: FindingFilter = { kinds: new Set(KINDS), text: '', news_only: false, sort: 'severity', descending: false };
  order: number[] = [];
  selected: number | null = null;
  on_choose: (finding: number | null) => void = () => {};
  private readonly list: VirtualList;
  private readonly rows = h('div', { class: 'virtual rows', role: 'listbox', tabindex: 0, 'aria-label': 'findings' });
  private readonly search = h('input', { type: 'search', placeholder: 'Search: part, kind', 'aria-label': 'search findings', autocomplete: 'off', input: () => this.set_text(this.search.value) });
  private readonly shown = h('span', { class: 'faint num', id: 'findings-shown' });
  private readonly heads = new Map<SortKey, HTMLButtonElement>();
  private readonly prefix: string;
  private readonly chips = new Map<FindingKind, HTMLButtonElement>();

  constructor(
    private readonly data: ReportData,
    private readonly unit: string,
  ) {
    this.prefix = common_prefix(data);
    const chips = h('div', { class: 'chips', role: 'group', 'aria-label': 'kinds shown' });
    for (const kind of KINDS) {
      const count = data.findings.filter((f) => f.kind === kind).length;
      if (count === 0) continue;
      const chip = h('button', { class: 'kind-chip', 'aria-pressed': 'true', 'data-kind': kind, title: `Show or hide: ${kind}`, click: () => this.flip_kind(kind) },
        h('i', { class: `dot ${kind}` }), `${kind} `, h('b', { class: 'num' }, count_text(count)));
      this.chips.set(kind, chip);
      chips.append(chip);
    }
    if (data.findings.some((f) => f.since)) {
      const news = h('button', { class: 'kind-chip', 'aria-pressed': 'false', title: 'Only what the baseline does not have', click: () => {
        this.filter.news_only = !this.filter.news_only;
        news.setAttribute('aria-pressed', String(this.filter.news_only));
        this.update();
      } }, 'new or changed only');
      chips.append(news);
    }
    const head = (key: SortKey, label: string): HTMLButtonElement => {
      const button = h('button', { class: `head ${key}`, 'data-sort': key, click: () => this.sort_by(key) }, label);
      this.heads.set(key, button);
      return button;
    };
    this.element.append(
      h('div', { class: 'filters' }, this.search, chips),
      this.prefix ? h('p', { class: 'faint prefix', id: 'prefix', title: this.prefix }, 'Names without the beginning they have in common: ', h('b', {}, this.prefix)) : '',
      h('div', { class: 'table-head' }, h('span', {}), head('kind', 'Kind'), head('parts', 'Parts'), head('depth', 'Depth'), head('pairs', 'Triangle pairs')),
      this.rows,
      h('div', { class: 'below' }, this.shown),
    );
    this.list = new VirtualList(this.rows, ROW_HEIGHT, (i) => this.row(i));
    this.rows.addEventListener('keydown', (event) => {
      const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
      if (by === 0) return;
      event.preventDefault();
      this.go(by);
    });
    this.update();
  }

  private row(i: number): HTMLElement {
    const index = this.order[i]!;
    const finding = this.data.findings[index]!;
    const name = (part: number): string => this.data.parts[part]?.name ?? `#${part}`;
    const line = (side: 'a' | 'b'): HTMLElement => h('span', { class: 'line' }, h('span', { class: 'name' }, short_name(name(finding[side]).slice(this.prefix.length))),
      finding.kind === 'inside' && finding.inner === side ? h('em', { class: 'inner' }, 'inner') : null);
    return h('div', { class: 'row', role: 'option', 'data-finding': index, 'aria-selected': String(index === this.selected), click: () => this.choose(index), title: `${name(finding.a)}\n${name(finding.b)}` },
      h('span', { class: 'cell number num' }, String(index + 1)),
      h('span', { class: 'cell kind' }, h('i', { class: `dot ${finding.kind}` }), finding.kind, finding.since && finding.since !== 'same' ? h('em', { class: 'since' }, finding.since) : null),
      h('span', { class: 'cell parts' }, line('a'), line('b')),
      h('span', { class: 'cell depth num' }, finding.kind === 'near' ? `gap ${measure_text(finding, this.unit)}` : measure_text(finding, this.unit)),
      h('span', { class: 'cell pairs num' }, finding.kind === 'near' ? '' : count_text(finding.triangle_pairs ?? 0)));
  }

  set_text(text: string): void {
    if (this.search.value !== text) this.search.value = text;
    this.filter.text = text;
    this.update();
  }

  focus_search(): void {
    this.search.focus();
  }

  private flip_kind(kind: FindingKind): void {
    if (!this.filter.kinds.delete(kind)) this.filter.kinds.add(kind);
    this.update();
  }

  /** Shows one kind only, or all of them again. */
  only(kind: FindingKind): void {
    const alone = this.filter.kinds.size === 1 && this.filter.kinds.has(kind);
    this.filter.kinds = new Set(alone ? KINDS : [kind]);
    this.update();
  }

  private sort_by(key: SortKey): void {
    const { filter } = this;
    const first = key === 'depth' || key === 'pairs';
    if (filter.sort !== key) {
      filter.sort = key;
      filter.descending = first;
    } else if (filter.descending === first) {
      filter.descending = !first;
    } else {
      filter.sort = 'severity';
      filter.descending = false;
    }
    this.update();
  }

  update(): void {
    const { filter } = this;
    this.order = filter_findings(this.data, filter);
    for (const [key, button] of this.heads) {
      if (key === filter.sort) button.dataset.direction = filter.descending ? 'down' : 'up';
      else delete button.dataset.direction;
    }
    for (const [kind, chip] of this.chips) chip.setAttribute('aria-pressed', String(filter.kinds.has(kind)));
    const all = this.data.findings.length;
    set_text(this.shown, all === 0 ? 'Nothing was found: no parts interfere.' : `${count_text(this.order.length)} of ${count_text(all)} findings`);
    this.list.reset(this.order.length);
    this.rows.scrollTop = 0;
  }

  choose(index: number | null): void {
    this.selected = index;
    for (const row of this.list.shown().values()) row.setAttribute('aria-selected', String(row.dataset.finding === String(index)));
    const at = index === null ? -1 : this.order.indexOf(index);
    if (at >= 0) this.list.scroll_to(at);
    this.on_choose(index);
  }

  /** Goes to the next or the previous finding of the list. */
  go(by: number): void {
    if (this.order.length === 0) return;
    const at = this.selected === null ? (by > 0 ? -1 : 0) : this.order.indexOf(this.selected);
    this.choose(this.order[Math.min(this.order.length - 1, Math.max(0, at + by))]!);
  }
}

/** Returns the number of decimals that shows four digits of a length of this assembly. */
export function report_decimals(data: ReportData): number {
  const { min, max } = data.bounds;
  return Math.min(7, Math.max(1, 3 - Math.floor(Math.log10(Math.max(...max.map((v, i) => v - min[i]!)) || 1))));
}

/** Builds the facts of a finding. */
export function finding_facts(data: ReportData, finding: Finding, unit: string): HTMLElement {
  const list = h('dl', { class: 'facts' });
  const decimals = report_decimals(data);
  const with_unit = (text: string): string => (unit ? `${text} ${unit}` : text);
  const row = (label: string, text: string | null | undefined): void => {
    if (text) list.append(h('dt', {}, label), h('dd', {}, text));
  };
  if (finding.kind === 'near') row('Gap', measure_text(finding, unit));
  else row('Depth', !finding.depth_text && (finding.depth === null || finding.depth === undefined) ? 'not computed' : measure_text(finding, unit));
  if (typeof finding.volume === 'number') row('Volume', `${number_text(finding.volume, 4)} ${unit ? `${unit}³` : ''}`.trim());
  if (finding.separating_text) row('Apart when b moves', unit ? finding.separating_text.replace(' along ', ` ${unit} along `) : finding.separating_text);
  if (finding.separating_translation) row('Translation of b', with_unit(vector_text(finding.separating_translation, decimals)));
  if (finding.where) row('Where', with_unit(vector_text(finding.where, decimals)));
  if (finding.region) row('Region', with_unit(finding.region[0].map((v, i) => (finding.region![1][i]! - v).toFixed(decimals)).join(' × ')));
  if (finding.kind !== 'near') row('Triangle pairs', count_text(finding.triangle_pairs ?? 0));
  if (finding.since) row('Since the baseline', finding.since);
  if (finding.contours_left_out) row('Contours', `${finding.contours?.length ?? 0} shown, ${count_text(finding.contours_left_out)} left out`);
  return list;
}
