// Data of the report: the JSON in the page, and what the page computes from it.
import { FINDING_COLOURS, PAIR_COLOURS } from '../palette';
import type { Finding, FindingKind, ReportData } from '../types';

export const KINDS: FindingKind[] = ['duplicate', 'clash', 'inside', 'touching', 'near'];

/** Findings that have a badge, and a colour in a cut: as many as the picture of the program numbers. */
export const MOST_SHOWN = 20;

/** Reads the data from the page. */
export function read_data(): ReportData {
  const text = document.getElementById('heurt-report')?.textContent;
  if (!text) throw new Error('the page holds no data');
  const data = JSON.parse(text) as ReportData;
  if (data.protocol !== 1) throw new Error(`the data has protocol ${data.protocol}, this page reads 1`);
  return data;
}

/** Returns the colour of a kind, as the picture of the program has it. */
export function kind_colour(data: ReportData, kind: FindingKind): string {
  const stated = data.colours?.[kind];
  return stated && /^#[0-9a-f]{6}$/i.test(stated) ? stated : FINDING_COLOURS[kind];
}

/** Returns the longest beginning, up to a `/`, that the names of all parts of findings have in common and that leaves something of each, as the table of the program leaves it out. */
export function common_prefix(data: ReportData): string {
  const SHORT = 4;
  const names = data.findings.flatMap(({ a, b }) => [a, b]).map((part) => data.parts[part]?.name ?? `#${part}`);
  let common = names[0] ?? '';
  for (const name of names) while (common && (!name.startsWith(common) || name === common)) common = common.slice(0, -1);
  common = common.slice(0, common.lastIndexOf('/') + 1);
  return common.length < SHORT ? '' : common;
}

/** Gives the colours of the kinds and of the two parts of a pair to the style sheet. */
export function apply_colours(data: ReportData): void {
  const { style } = document.documentElement;
  for (const kind of KINDS) style.setProperty(`--${kind}`, kind_colour(data, kind));
  PAIR_COLOURS.forEach((colour, side) => style.setProperty(`--pair-${'ab'[side]}`, colour));
}

export type SortKey = 'severity' | 'parts' | 'kind' | 'depth' | 'pairs';

export interface FindingFilter {
  kinds: Set<FindingKind>;
  text: string;
  /** Only what the baseline does not have. */
  news_only: boolean;
  sort: SortKey;
  descending: boolean;
}

/** Returns the length that a finding is ordered by: the depth, or minus the gap of a near pair. */
export function severity(finding: Finding): number {
  if (finding.kind === 'near') return -(finding.gap ?? 0);
  return finding.depth ?? 0;
}

/** Returns the numbers of the findings that pass the filter, in order. */
export function filter_findings(data: ReportData, filter: FindingFilter): number[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  const name = (part: number): string => data.parts[part]?.name ?? `#${part}`;
  const kept: number[] = [];
  data.findings.forEach((finding, i) => {
    if (!filter.kinds.has(finding.kind)) return;
    if (filter.news_only && finding.since !== 'new' && finding.since !== 'changed') return;
    const text = `${name(finding.a)} ${name(finding.b)} ${finding.kind} ${finding.since ?? ''}`.toLowerCase();
    if (words.every((word) => text.includes(word))) kept.push(i);
  });
  const rank = (finding: Finding): number => KINDS.indexOf(finding.kind);
  const compare: Record<SortKey, (p: Finding, q: Finding) => number> = {
    severity: () => 0,
    parts: (p, q) => name(p.a).localeCompare(name(q.a)) || name(p.b).localeCompare(name(q.b)),
    kind: (p, q) => rank(p) - rank(q),
    depth: (p, q) => severity(p) - severity(q),
    pairs: (p, q) => (p.triangle_pairs ?? 0) - (q.triangle_pairs ?? 0),
  };
  const sign = filter.descending ? -1 : 1;
  // The order of the file breaks ties: it has the deepest first.
  return kept.sort((i, j) => sign * compare[filter.sort](data.findings[i]!, data.findings[j]!) || sign * (filter.sort === 'severity' ? i - j : 0) || i - j);
}
