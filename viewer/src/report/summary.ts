// Summary of the report: its numbers, the notes, and what is gone since the baseline; and the page that is printed.
import { count_text, h, number_text, vector_text } from '../dom';
import type { ReportData } from '../types';
import { measure_text, report_decimals } from './findings';

const LABELS: Record<string, string> = {
  unit: 'unit of length', parts: 'parts', meshes: 'meshes', triangles: 'triangles', pairs: 'pairs of parts', pairs_tested: 'pairs whose boxes meet', interfering: 'interfering pairs',
  clash: 'clashes', duplicate: 'duplicates', within_tessellation: 'within the error of the tessellation', small_ignored: 'small, ignored', inside: 'inside', touching: 'touching', near: 'near', touching_ignored: 'touching, ignored', listed_ignored: 'listed, ignored', shallow_ignored: 'shallow, ignored',
  open: 'open parts', failures: 'failures',
};
const MOST_PRINTED = 2000;

function value_text(value: unknown): string {
  if (value === null || value === undefined) return 'unknown';
  if (typeof value === 'number') return Number.isInteger(value) ? count_text(value) : number_text(value);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Builds the table of the numbers. */
export function summary_table(data: ReportData): HTMLElement {
  const list = h('dl', { class: 'facts wide' });
  for (const [key, value] of Object.entries(data.summary)) list.append(h('dt', {}, LABELS[key] ?? key.replaceAll('_', ' ')), h('dd', {}, value_text(value)));
  return list;
}

export function summary_view(data: ReportData, faults: string[]): HTMLElement {
  const notes = [...(data.notes ?? []), ...faults];
  const element = h('div', { class: 'tab-body scroll', id: 'summary', hidden: true }, h('h2', {}, 'Numbers'), summary_table(data));
  element.append(h('h2', {}, 'Notes ', h('span', { class: 'count num' }, count_text(notes.length))));
  element.append(notes.length ? h('ul', { class: 'notes' }, ...notes.map((note) => h('li', {}, note))) : h('p', { class: 'faint' }, 'No failures and no warnings.'));
  if (data.gone?.length) {
    element.append(h('h2', {}, 'Gone since the baseline ', h('span', { class: 'count num' }, count_text(data.gone.length))));
    element.append(h('ul', { class: 'notes' }, ...data.gone.map((g) => h('li', {}, `${g.kind}: ${g.a} and ${g.b}`))));
  }
  return element;
}

/** Fills the part of the page that only paper shows. */
export function fill_print(element: HTMLElement, data: ReportData, order: number[], picture: HTMLCanvasElement, unit: string): void {
  const name = (part: number): string => data.parts[part]?.name ?? `#${part}`;
  const copy = h('canvas', { class: 'picture', width: picture.width, height: picture.height });
  copy.getContext('2d')!.drawImage(picture, 0, 0);
  const decimals = report_decimals(data);
  const rows = order.slice(0, MOST_PRINTED).map((i) => {
    const f = data.findings[i]!;
    const inner = (side: 'a' | 'b'): string => (f.kind === 'inside' && f.inner === side ? ' (inside)' : '');
    return h('tr', {}, h('td', {}, String(i + 1)), h('td', {}, f.kind + (f.since && f.since !== 'same' ? `, ${f.since}` : '')), h('td', {}, name(f.a) + inner('a')), h('td', {}, name(f.b) + inner('b')),
      h('td', { class: 'num' }, f.kind === 'near' ? `gap ${measure_text(f, unit)}` : measure_text(f, unit)), h('td', { class: 'num' }, f.kind === 'near' ? '' : count_text(f.triangle_pairs ?? 0)),
      h('td', { class: 'num' }, vector_text(f.where ?? f.point_a ?? [], decimals)));
  });
  const head = ['#', 'kind', 'part a', 'part b', 'depth', 'triangle pairs', unit ? `where, in ${unit}` : 'where'];
  const faulty = data.parts.filter((part) => (part.faults?.length ?? 0) > 0);
  element.replaceChildren(
    h('h1', {}, data.title), h('p', {}, `${data.program}${unit ? `, lengths in ${unit}` : ''}`),
    h('div', { class: 'print-top' }, summary_table(data), copy),
    h('h2', {}, `Findings: ${count_text(order.length)} of ${count_text(data.findings.length)}`),
    h('table', {}, h('thead', {}, h('tr', {}, ...head.map((text) => h('th', {}, text)))), h('tbody', {}, ...rows)),
    order.length > MOST_PRINTED ? h('p', {}, `${count_text(order.length - MOST_PRINTED)} more are not printed.`) : '',
    faulty.length ? h('h2', {}, 'Parts with faults') : '',
    faulty.length ? h('table', {}, h('tbody', {}, ...faulty.slice(0, MOST_PRINTED).map((p) => h('tr', {}, h('td', {}, p.name), h('td', {}, p.class), h('td', {}, p.faults!.join(', ')))))) : '',
    data.notes?.length ? h('h2', {}, 'Notes') : '',
    data.notes?.length ? h('ul', {}, ...data.notes.map((note) => h('li', {}, note))) : '',
  );
}
