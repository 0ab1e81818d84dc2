// Plots of the last frames: the step time by stage, stacked, with the budget of a step; and the energies.
import { by_id, number_text } from '../dom';
import { OKABE_ITO, STAGE_COLOURS } from '../palette';
import { css_value } from '../theme';
import { h } from '../dom';

const FRAMES = 240;

/** A ring of the last rows of numbers. */
export class Ring {
  private rows: Float64Array[] = [];
  push(row: ArrayLike<number>): void {
    this.rows.push(Float64Array.from(row));
    if (this.rows.length > FRAMES) this.rows.shift();
  }
  get all(): readonly Float64Array[] {
    return this.rows;
  }
  clear(): void {
    this.rows = [];
  }
}

/** Returns a round number not below `value`, for the end of a scale. */
export function round_up(value: number): number {
  if (!(value > 0)) return 1;
  const power = Math.pow(10, Math.floor(Math.log10(value)));
  for (const factor of [1, 1.5, 2, 3, 5, 7.5, 10]) if (factor * power >= value * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

function prepare(canvas: HTMLCanvasElement): { g: CanvasRenderingContext2D; w: number; h: number } | null {
  const ratio = Math.min(devicePixelRatio, 2);
  const [w, height] = [canvas.clientWidth, canvas.clientHeight];
  if (w === 0 || height === 0) return null;
  if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const g = canvas.getContext('2d')!;
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, w, height);
  g.font = `10px ${css_value('--mono') || 'monospace'}`;
  g.textBaseline = 'middle';
  return { g, w, h: height };
}

export class Plots {
  private readonly times = new Ring();
  private readonly energies = new Ring();
  private readonly time_canvas = by_id<HTMLCanvasElement>('plot-times');
  private readonly energy_canvas = by_id<HTMLCanvasElement>('plot-energy');
  private readonly legend_values: HTMLElement[] = [];
  private dirty = true;
  private last_step = -1;

  constructor(
    stages: string[],
    private readonly budget_ms: number,
  ) {
    const legend = by_id('stage-legend');
    stages.forEach((stage, i) => {
      const value = h('span', { class: 'num' }, '–');
      this.legend_values.push(value);
      const swatch = h('span', { class: 'swatch' });
      swatch.style.background = STAGE_COLOURS[i % STAGE_COLOURS.length]!;
      legend.append(h('div', { class: 'legend-row' }, swatch, h('span', { class: 'name' }, stage), value));
    });
    by_id('budget').textContent = `${number_text(budget_ms, 3)} ms`;
  }

  push(step: number, times?: Float32Array, energy?: Float64Array): void {
    if (step === this.last_step) return;
    this.last_step = step;
    if (times) {
      this.times.push(times);
      times.forEach((ms, i) => this.legend_values[i] && (this.legend_values[i].textContent = `${ms.toFixed(2)} ms`));
      by_id('step-total-ms').textContent = `${times.reduce((a, b) => a + b, 0).toFixed(2)} ms`;
    }
    if (energy && energy.length >= 2) this.energies.push(energy);
    this.dirty = true;
  }

  invalidate(): void {
    this.dirty = true;
  }

  draw(): void {
    if (!this.dirty) return;
    this.dirty = false;
    this.draw_times();
    this.draw_energies();
  }

  private draw_times(): void {
    const p = prepare(this.time_canvas);
    if (!p) return;
    const { g, w, h: height } = p;
    const rows = this.times.all;
    const totals = rows.map((row) => row.reduce((a, b) => a + b, 0));
    const sorted = [...totals].sort((a, b) => a - b);
    // A rare slow frame does not flatten all the others: the scale ends above 98 % of them.
    const common = sorted[Math.floor(0.98 * (sorted.length - 1))] ?? 0;
    const top = round_up(Math.max(common * 1.15, this.budget_ms < 6 * common ? this.budget_ms * 1.05 : 0, 1e-3));
    const [left, right, up, down] = [46, w - 2, 6, height - 6];
    const y = (ms: number): number => down - ((down - up) * Math.min(ms, top)) / top;
    const bar = (right - left) / FRAMES;
    frame_axes(g, left, right, up, down, [0, top / 2, top].map((ms) => ({ y: y(ms), text: ms === top ? `${number_text(ms, 3)} ms` : number_text(ms, 3) })));
    rows.forEach((row, i) => {
      let sum = 0;
      const x = right - (rows.length - i) * bar;
      for (let s = 0; s < row.length; s++) {
        const [from, to] = [y(sum), y(sum + row[s]!)];
        sum += row[s]!;
        g.fillStyle = STAGE_COLOURS[s % STAGE_COLOURS.length]!;
        g.fillRect(x, to, Math.max(bar + 0.4, 0.75), from - to);
      }
    });
    if (this.budget_ms <= top) {
      g.strokeStyle = OKABE_ITO.vermilion;
      g.setLineDash([4, 3]);
      line(g, left, y(this.budget_ms), right, y(this.budget_ms));
      g.setLineDash([]);
    }
    this.time_canvas.setAttribute('aria-label', `Step time of the last ${rows.length} frames, now ${number_text(totals.at(-1) ?? 0, 3)} milliseconds`);
  }

  private draw_energies(): void {
    by_id('energy-block').hidden = this.energies.all.length === 0;
    const p = prepare(this.energy_canvas);
    if (!p) return;
    const { g, w, h: height } = p;
    const rows = this.energies.all;
    if (rows.length === 0) return;
    const series = [
      { colour: OKABE_ITO.orange, of: (r: Float64Array) => r[0]! },
      { colour: OKABE_ITO.sky, of: (r: Float64Array) => r[1]! },
      { colour: css_value('--text'), of: (r: Float64Array) => r[0]! + r[1]! },
    ];
    const values = rows.flatMap((row) => series.map((s) => s.of(row))).filter(Number.isFinite);
    let [least, most] = [Math.min(...values, 0), Math.max(...values)];
    if (!(most > least)) most = least + 1;
    const [left, right, up, down] = [56, w - 2, 6, height - 6];
    const y = (v: number): number => down - ((down - up) * (v - least)) / (most - least);
    const at = (i: number): number => right - ((rows.length - 1 - i) * (right - left)) / (FRAMES - 1);
    frame_axes(g, left, right, up, down, [least, (least + most) / 2, most].map((v) => ({ y: y(v), text: v === most ? `${number_text(v, 3)} J` : number_text(v, 3) })));
    for (const { colour, of } of series) {
      g.strokeStyle = colour;
      g.lineWidth = 1.4;
      g.beginPath();
      rows.forEach((row, i) => (i === 0 ? g.moveTo(at(i), y(of(row))) : g.lineTo(at(i), y(of(row)))));
      g.stroke();
    }
    const last = rows.at(-1)!;
    by_id('energy-kinetic').textContent = `${number_text(last[0]!)} J`;
    by_id('energy-potential').textContent = `${number_text(last[1]!)} J`;
    by_id('energy-total').textContent = `${number_text(last[0]! + last[1]!)} J`;
  }
}

function line(g: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  g.lineWidth = 1;
  g.beginPath();
  g.moveTo(x0, y0);
  g.lineTo(x1, y1);
  g.stroke();
}

function frame_axes(g: CanvasRenderingContext2D, left: number, right: number, up: number, down: number, ticks: { y: number; text: string }[]): void {
  g.fillStyle = css_value('--plot');
  g.fillRect(left, up, right - left, down - up);
  g.strokeStyle = css_value('--line');
  g.fillStyle = css_value('--faint');
  g.textAlign = 'right';
  for (const tick of ticks) {
    line(g, left, Math.round(tick.y) + 0.5, right, Math.round(tick.y) + 0.5);
    g.fillText(tick.text, left - 4, tick.y);
  }
}
