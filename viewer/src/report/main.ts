// Report page: the assembly and its findings, from data inside the page.
import { Vector3 } from 'three';
import '../style/common.css';
import '../style/report.css';
import { count_text, h, is_typing, release_focus, set_text } from '../dom';
import { GENERAL_KEYS, VIEW_KEYS, toggle_help } from '../help';
import { toggle_theme } from '../theme';
import type { FindingKind, ReportData } from '../types';
import type { StandardView } from '../view/camera';
import { cut_control } from '../view/cut';
import { Viewport } from '../view/viewport';
import { Assembly, type Others } from './assembly';
import { Badges } from './badges';
import { KINDS, apply_colours, read_data } from './data';
import { FindingsView, finding_facts, measure_text } from './findings';
import { PartsView } from './parts';
import { fill_print, summary_view } from './summary';

type Tab = 'findings' | 'parts' | 'summary';

const SVG = 'http://www.w3.org/2000/svg';

function icon(path: string): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  const shape = document.createElementNS(SVG, 'path');
  shape.setAttribute('d', path);
  svg.append(shape);
  return svg;
}

function build_viewport(): HTMLElement {
  const gizmo = document.createElementNS(SVG, 'svg');
  gizmo.setAttribute('class', 'gizmo');
  gizmo.setAttribute('role', 'group');
  gizmo.setAttribute('aria-label', 'views along the axes');
  const element = h('div', { class: 'viewport', id: 'viewport' },
    h('canvas', { tabindex: 0, 'aria-label': 'three-dimensional view of the assembly' }),
    h('div', { class: 'toolbar', role: 'toolbar', 'aria-label': 'view' }),
    h('div', { class: 'scale-bar', 'aria-label': 'scale' }, h('i'), h('span')),
    h('div', { class: 'depth-label', id: 'depth-label', hidden: true }));
  element.insertBefore(gizmo, element.children[2]!);
  return element;
}

class ReportPage {
  private readonly unit: string;
  private readonly viewport: Viewport;
  private readonly assembly: Assembly;
  private readonly findings: FindingsView;
  private readonly parts: PartsView;
  private readonly summary: HTMLElement;
  private readonly detail = h('div', { class: 'detail', id: 'detail' });
  private readonly tabs = new Map<Tab, HTMLButtonElement>();
  private readonly label: HTMLElement;
  private tab: Tab = 'findings';

  constructor(private readonly data: ReportData) {
    this.unit = data.unit ?? '';
    document.title = `${data.title} – heurt`;
    apply_colours(data);
    const stage = build_viewport();
    const panel = h('aside', { class: 'panel-side', 'aria-label': 'findings and parts' });
    const print = h('section', { class: 'print', 'aria-hidden': 'true' });
    document.body.append(this.build_top(), h('main', { class: 'stage' }, stage, panel), print);
    this.label = stage.querySelector<HTMLElement>('.depth-label')!;

    this.viewport = new Viewport(stage, new Vector3(0, 0, 1), this.unit);
    this.assembly = new Assembly(data, this.viewport);
    const sphere = this.assembly.bounds();
    this.viewport.set_bounds(sphere, data.bounds.min[2]);
    this.viewport.rig.look_from('iso', false);
    this.viewport.fit(false);

    this.findings = new FindingsView(data, this.unit);
    this.parts = new PartsView(data);
    this.summary = summary_view(data, this.assembly.faults);
    panel.append(this.build_tabs(), this.findings.element, this.parts.element, this.summary, this.detail);
    this.build_toolbar(stage.querySelector('.toolbar')!);
    this.wire(print);
    this.show_detail();
  }

  private build_top(): HTMLElement {
    const { data } = this;
    const counts = h('div', { class: 'counts' });
    for (const kind of KINDS) {
      const count = data.findings.filter((f) => f.kind === kind).length;
      if (count === 0) continue;
      counts.append(h('button', { class: 'count-chip', title: `Show only: ${kind}`, click: () => this.only(kind) }, h('i', { class: `dot ${kind}` }), h('b', { class: 'num' }, count_text(count)), ` ${kind}`));
    }
    if (data.findings.length === 0) counts.append(h('span', { class: 'chip good' }, 'no interference'));
    return h('header', { class: 'top' },
      h('h1', { class: 'brand' }, 'heurt'), h('span', { class: 'title' }, data.title), counts, h('span', { class: 'grow' }),
      h('span', { class: 'faint program' }, `${data.program}, ${data.unit ? `lengths in ${data.unit}` : 'unit unknown'}`),
      h('button', { class: 'icon', title: 'Print (Ctrl+P)', 'aria-label': 'print', click: () => print() }, icon('M4.5 6V2.5h7V6M4.5 11H2.5V6h11v5h-2M4.5 9.5h7v4h-7z')),
      h('button', { class: 'icon', id: 'theme', title: 'Light or dark (T)', 'aria-label': 'light or dark', click: toggle_theme }, icon('M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11zM8 2.5v11M10 3v10M12 4.5v7')),
      h('button', { class: 'icon', id: 'help', title: 'Keys and gestures (?)', 'aria-label': 'keys and gestures', click: () => this.help() }, '?'));
  }

  private build_tabs(): HTMLElement {
    const notes = (this.data.notes?.length ?? 0) + this.assembly.faults.length;
    const row = h('div', { class: 'tab-row', role: 'tablist' });
    const add = (tab: Tab, label: string): void => {
      const button = h('button', { role: 'tab', 'data-tab': tab, 'aria-selected': String(tab === this.tab), click: () => this.show_tab(tab) }, label);
      this.tabs.set(tab, button);
      row.append(button);
    };
    add('findings', `Findings ${count_text(this.data.findings.length)}`);
    add('parts', `Parts ${count_text(this.data.parts.length)}`);
    add('summary', notes ? `Summary, ${notes} ${notes === 1 ? 'note' : 'notes'}` : 'Summary');
    return row;
  }

  private build_toolbar(toolbar: Element): void {
    const { rig } = this.viewport;
    const projection = h('button', { id: 'projection', title: 'Perspective or orthographic (O)', click: () => this.flip_projection() }, 'Persp');
    const group = (...children: HTMLElement[]): HTMLElement => h('div', { class: 'group' }, ...children);
    const others = (['ghost', 'hide', 'show'] as Others[]).map((mode) =>
      h('button', { 'data-others': mode, 'aria-pressed': String(mode === this.assembly.others), title: `Parts outside the pair: ${mode}`, click: () => this.set_others(mode) }, { ghost: 'Ghost', hide: 'Hide', show: 'Show' }[mode]));
    const extra = (name: keyof Assembly['extras'], label: string): HTMLElement => {
      const button = h('button', { 'aria-pressed': 'true', 'data-extra': name, click: () => {
        this.assembly.extras[name] = !this.assembly.extras[name];
        button.setAttribute('aria-pressed', String(this.assembly.extras[name]));
        this.assembly.refresh();
      } }, label);
      return button;
    };
    toolbar.append(
      group(h('button', { id: 'fit', title: 'Show everything (F)', click: () => this.viewport.fit() }, 'Fit'), h('button', { title: 'Isometric view (0)', click: () => rig.look_from('iso') }, 'Iso'), projection),
      h('div', { class: 'group' }, cut_control(this.viewport)),
      h('div', { class: 'group pair-only', role: 'group', 'aria-label': 'parts outside the pair' }, h('span', { class: 'group-label' }, 'Others'), ...others),
      h('div', { class: 'group pair-only', role: 'group', 'aria-label': 'drawn at the pair' }, extra('contours', 'Contours'), extra('region', 'Region'), extra('arrow', 'Arrow'),
        h('button', { id: 'separate', 'aria-pressed': 'false', title: 'Show the second part where the separating translation takes it (S)', click: () => this.flip_separated() }, 'Separate')),
    );
  }

  private wire(print: HTMLElement): void {
    const { viewport, findings, parts, assembly } = this;
    findings.on_choose = (index) => this.choose_finding(index);
    parts.on_choose = (part) => this.choose_part(part, true);
    parts.on_findings = (part) => {
      findings.set_text(this.data.parts[part]!.name);
      this.show_tab('findings');
    };
    parts.on_eye = (part) => {
      const hidden = !assembly.bodies.is_hidden(part);
      assembly.bodies.set_hidden(part, hidden);
      assembly.bodies.update_matrices();
      assembly.refresh();
      return hidden;
    };
    viewport.rig.on_click = (event) => {
      const finding = this.data.findings[findings.selected ?? -1];
      const only_pair = finding && assembly.others !== 'show';
      const hit = assembly.bodies.pick(viewport.ray(event), only_pair ? (part) => part === finding.a || part === finding.b : undefined);
      if (hit) this.choose_part(hit.body, false);
      else if (!only_pair) this.clear();
    };
    const badges = new Badges(this.data, viewport, (index) => findings.choose(index));
    viewport.before_render = () => {
      this.place_label();
      badges.place(findings.selected === null && parts.selected === null);
    };
    addEventListener('keydown', (event) => this.key(event));
    release_focus();
    addEventListener('beforeprint', () => {
      viewport.render();
      fill_print(print, this.data, findings.order, viewport.canvas, this.unit);
    });
    addEventListener('afterprint', () => print.replaceChildren());
  }

  private show_tab(tab: Tab): void {
    this.tab = tab;
    for (const [name, button] of this.tabs) button.setAttribute('aria-selected', String(name === tab));
    this.findings.element.hidden = tab !== 'findings';
    this.parts.element.hidden = tab !== 'parts';
    this.summary.hidden = tab !== 'summary';
    this.show_detail();
  }

  private only(kind: FindingKind): void {
    this.findings.only(kind);
    this.show_tab('findings');
  }

  private choose_finding(index: number | null): void {
    const finding = index === null ? null : this.data.findings[index]!;
    document.body.classList.toggle('pair', finding !== null);
    this.parts.select(null);
    this.assembly.show(finding);
    if (finding) {
      const { center, radius } = this.assembly.place(finding);
      this.viewport.rig.fit_across(center, radius, this.assembly.axis(finding));
    }
    this.show_detail();
  }

  private choose_part(part: number, fly: boolean): void {
    this.parts.select(part);
    if (!(this.findings.selected !== null && this.assembly.others !== 'show')) this.viewport.outlined = [part];
    this.viewport.invalidate();
    const sphere = this.assembly.bodies.sphere(part);
    if (fly && sphere) {
      if (this.findings.selected !== null) this.findings.choose(null);
      this.parts.select(part);
      this.viewport.outlined = [part];
      this.viewport.rig.fit(sphere.center, sphere.radius * 1.5);
    }
    if (!fly) this.show_tab('parts');
    else this.show_detail();
  }

  private clear(): void {
    this.findings.choose(null);
    this.parts.select(null);
    this.viewport.outlined = [];
    this.viewport.invalidate();
    this.show_detail();
  }

  private set_others(mode: Others): void {
    this.assembly.others = mode;
    for (const button of document.querySelectorAll<HTMLElement>('[data-others]')) button.setAttribute('aria-pressed', String(button.dataset.others === mode));
    this.assembly.refresh();
  }

  private flip_separated(): void {
    this.assembly.separated = !this.assembly.separated;
    document.getElementById('separate')!.setAttribute('aria-pressed', String(this.assembly.separated));
    this.assembly.refresh();
  }

  private flip_projection(): void {
    const { rig } = this.viewport;
    rig.set_orthographic(!rig.is_orthographic);
    set_text(document.getElementById('projection')!, rig.is_orthographic ? 'Ortho' : 'Persp');
  }

  private show_detail(): void {
    const finding = this.data.findings[this.findings.selected ?? -1];
    const part = this.data.parts[this.parts.selected ?? -1];
    this.detail.hidden = true;
    if (this.tab === 'findings' && finding) {
      const [a, b] = [this.data.parts[finding.a]?.name ?? '?', this.data.parts[finding.b]?.name ?? '?'];
      this.detail.replaceChildren(
        h('div', { class: 'pair-names' }, h('span', {}, h('i', { class: 'swatch pair-a' }), a), h('span', {}, h('i', { class: 'swatch pair-b' }), b)),
        finding_facts(this.data, finding, this.unit),
        h('div', { class: 'buttons' },
          h('button', { click: () => this.findings.go(-1), title: 'Previous finding (K)' }, 'Previous'), h('button', { click: () => this.findings.go(1), title: 'Next finding (J)' }, 'Next'),
          h('button', { click: () => this.clear(), title: 'Show all parts (Esc)' }, 'All parts')));
      this.detail.hidden = false;
    } else if (this.tab === 'parts' && part) {
      const list = h('dl', { class: 'facts' });
      const rows: [string, string][] = [['File', part.file], ['Class', part.class], ['Solid', part.solid ? 'yes' : 'no: its inside is not known'], ['Triangles', count_text(part.triangles)], ['Faults', part.faults ? part.faults.join(', ') || 'none' : 'not searched: the assembly is large']];
      for (const [label, text] of rows) list.append(h('dt', {}, label), h('dd', {}, text));
      this.detail.replaceChildren(h('div', { class: 'pair-names' }, h('span', {}, part.name)), list);
      this.detail.hidden = false;
    }
  }

  private place_label(): void {
    const finding = this.data.findings[this.findings.selected ?? -1];
    const at = this.assembly.label_at;
    const text = finding && at ? measure_text(finding, this.unit) : '–';
    this.label.hidden = text === '–';
    if (this.label.hidden || !at || !finding) return;
    const box = this.viewport.canvas.getBoundingClientRect();
    const { x, y } = this.viewport.project(at);
    this.label.style.transform = `translate(${(x - box.left + 14).toFixed(0)}px, ${(y - box.top - 34).toFixed(0)}px)`;
    const number = (this.findings.selected ?? 0) + 1;
    set_text(this.label, finding.kind === 'near' ? `${number}: gap ${text}` : `${number}: depth ${text}`);
  }

  private help(): void {
    toggle_help([
      { title: 'View', rows: VIEW_KEYS },
      { title: 'Findings', rows: [['J K', 'next and previous finding'], ['G', 'ghost, hide or show the other parts'], ['S', 'move the second part out of the first'], ['click', 'select a part']] },
      { title: 'Page', rows: GENERAL_KEYS },
    ]);
  }

  private key(event: KeyboardEvent): void {
    if (event.key === 'Escape' && !document.querySelector('dialog')) {
      if (is_typing(event)) (event.target as HTMLElement).blur();
      else this.clear();
      return;
    }
    if (event.defaultPrevented || is_typing(event) || event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLSelectElement) return;
    const views: Record<string, StandardView> = { 1: '+x', 2: '-x', 3: '+y', 4: '-y', 5: '+z', 6: '-z', 0: 'iso' };
    const modes: Others[] = ['ghost', 'hide', 'show'];
    const { assembly } = this;
    const actions: Record<string, () => void> = {
      f: () => this.viewport.fit(),
      F: () => this.findings.selected !== null && this.choose_finding(this.findings.selected),
      o: () => this.flip_projection(), j: () => this.findings.go(1), k: () => this.findings.go(-1), s: () => this.flip_separated(), t: toggle_theme, '?': () => this.help(),
      g: () => this.set_others(modes[(modes.indexOf(assembly.others) + 1) % 3]!),
      l: () => { assembly.edges = !assembly.edges; assembly.refresh(); },
      x: () => { assembly.translucent = !assembly.translucent; assembly.refresh(); },
      '/': () => (this.tab === 'parts' ? this.parts : this.findings).focus_search(),
    };
    const view = views[event.key];
    const action = view ? () => this.viewport.rig.look_from(view) : actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  /** What tests look at. */
  expose(opened_ms: number): void {
    const page = this;
    (window as unknown as { heurt: object }).heurt = {
      opened_ms,
      data: page.data,
      get shown() { return page.findings.order; },
      get selected() { return page.findings.selected; },
      get part() { return page.parts.selected; },
      get pictures() { return page.viewport.pictures; },
      count_pixels: (colour?: string, tolerance?: number) => page.viewport.count_pixels(colour, tolerance),
      choose: (index: number | null) => page.findings.choose(index),
    };
  }
}

/** Shows the lists alone, as in a browser without WebGL. */
function show_without_view(reason: string): void {
  const data = read_data();
  document.querySelector('main.stage')?.remove();
  document.body.append(h('main', { class: 'lists-only' }, h('p', {}, reason), new FindingsView(data, data.unit ?? '').element, summary_view(data, []), new PartsView(data).element));
}

function start(): void {
  const began = performance.now();
  try {
    const page = new ReportPage(read_data());
    page.expose(performance.now() - began);
  } catch (error) {
    show_without_view(`The view in 3D cannot be shown: ${(error as Error).message}`);
    throw error;
  }
}

start();
