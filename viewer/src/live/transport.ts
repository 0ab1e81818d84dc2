// Transport: play, pause, step, rate, and the slider over the steps that were computed.
import { by_id, count_text, number_text, set_text } from '../dom';
import type { Frame } from '../codec';

type Send = (message: object) => boolean;

/** Simulated seconds a second that the menu has. */
export const RATES = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4];
const SEEK_MS = 40;

export class Transport {
  playing = false;
  step = 0;
  newest = 0;
  private readonly play = by_id<HTMLButtonElement>('play');
  private readonly slider = by_id<HTMLInputElement>('scrub');
  private readonly rate = by_id<HTMLSelectElement>('rate');
  private dragging = false;
  private wanted: number | null = null;
  private timer = 0;

  constructor(
    private readonly send: Send,
    private readonly steps: number,
  ) {
    for (const value of RATES) {
      const label = value < 1 ? `1/${Math.round(1 / value)}×` : `${value}×`;
      this.rate.append(new Option(label, String(value), value === 1, value === 1));
    }
    this.play.onclick = () => this.toggle();
    by_id('step').onclick = () => this.take(1);
    by_id('step10').onclick = () => this.take(10);
    by_id('back').onclick = () => this.back(1);
    by_id('latest').onclick = () => this.seek(this.newest);
    this.rate.onchange = () => this.send({ do: 'rate', value: Number(this.rate.value) });
    this.slider.onpointerdown = () => (this.dragging = true);
    this.slider.onpointerup = this.slider.onpointercancel = () => (this.dragging = false);
    this.slider.oninput = () => this.seek(Number(this.slider.value));
  }

  toggle(): void {
    this.send({ do: this.playing ? 'pause' : 'play' });
  }

  take(count: number): void {
    this.send({ do: 'step', count });
  }

  back(count: number): void {
    if (this.step > 0) this.seek(Math.max(0, this.step - count));
  }

  /** Goes to the next slower (−1) or faster (1) rate. */
  change_rate(by: number): void {
    const at = Math.min(RATES.length - 1, Math.max(0, this.rate.selectedIndex + by));
    if (at === this.rate.selectedIndex) return;
    this.rate.selectedIndex = at;
    this.send({ do: 'rate', value: RATES[at] });
  }

  /** Requests an earlier step, a few times a second at most; the last request counts. */
  seek(step: number): void {
    this.wanted = step;
    if (this.timer) return;
    const go = (): void => {
      this.timer = 0;
      if (this.wanted === null) return;
      this.send({ do: 'seek', step: this.wanted });
      this.wanted = null;
      this.timer = window.setTimeout(go, SEEK_MS);
    };
    go();
  }

  show(frame: Frame): void {
    this.playing = frame.playing;
    this.step = frame.step;
    this.newest = frame.newest;
    document.body.classList.toggle('playing', frame.playing);
    document.body.classList.toggle('history', frame.history);
    this.play.setAttribute('aria-label', frame.playing ? 'pause' : 'play');
    this.play.title = frame.playing ? 'Pause (space)' : 'Play (space)';
    this.slider.max = String(Math.max(1, frame.newest));
    this.slider.setAttribute('aria-valuetext', `step ${frame.step} of ${frame.newest}`);
    if (!this.dragging) this.slider.value = String(frame.step);
    this.slider.style.setProperty('--share', `${(100 * frame.step) / Math.max(1, frame.newest)}%`);
    set_text(by_id('step-now'), count_text(frame.step));
    set_text(by_id('step-newest'), count_text(frame.newest));
    set_text(by_id('step-total'), this.steps > 0 ? count_text(this.steps) : '–');
    set_text(by_id('time-now'), `${frame.time.toFixed(3)} s`);
    const nearest = RATES.reduce((best, r) => (Math.abs(Math.log(r / frame.rate)) < Math.abs(Math.log(best / frame.rate)) ? r : best), 1);
    if (document.activeElement !== this.rate && frame.rate > 0) this.rate.value = String(nearest);
    this.rate.title = `Rate: ${number_text(frame.rate, 3)} simulated seconds a second`;
  }
}
