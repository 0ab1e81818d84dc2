// Virtual list: rows of equal height, of which only those in sight are in the document.
import { h } from './dom';

const SPARE_ROWS = 6;

export class VirtualList {
  private readonly content = h('div', { class: 'virtual-content' });
  private rows = new Map<number, HTMLElement>();
  private count = 0;

  /** `make` builds row i; the list places it. */
  constructor(
    readonly element: HTMLElement,
    private readonly row_height: number,
    private readonly make: (i: number) => HTMLElement,
  ) {
    element.append(this.content);
    element.addEventListener('scroll', () => this.update(), { passive: true });
    new ResizeObserver(() => this.update()).observe(element);
  }

  /** Sets the number of rows and builds those in sight again. */
  reset(count: number): void {
    this.count = count;
    this.content.style.height = `${count * this.row_height}px`;
    for (const row of this.rows.values()) row.remove();
    this.rows.clear();
    this.update();
  }

  /** Returns the rows that are in the document. */
  shown(): ReadonlyMap<number, HTMLElement> {
    return this.rows;
  }

  scroll_to(i: number): void {
    const [top, height] = [this.element.scrollTop, this.element.clientHeight];
    const at = i * this.row_height;
    if (at < top) this.element.scrollTop = at;
    else if (at + this.row_height > top + height) this.element.scrollTop = at + this.row_height - height;
    this.update();
  }

  /** Puts all rows into the document, at most `limit`, for printing. */
  expand(limit: number): void {
    for (let i = 0; i < Math.min(limit, this.count); i++) this.place(i);
  }

  private place(i: number): void {
    if (this.rows.has(i)) return;
    const row = this.make(i);
    row.style.top = `${i * this.row_height}px`;
    row.style.height = `${this.row_height}px`;
    this.rows.set(i, row);
    this.content.append(row);
  }

  update(): void {
    const first = Math.max(0, Math.floor(this.element.scrollTop / this.row_height) - SPARE_ROWS);
    const last = Math.min(this.count, Math.ceil((this.element.scrollTop + this.element.clientHeight) / this.row_height) + SPARE_ROWS);
    for (const [i, row] of this.rows) {
      if (i >= first && i < last) continue;
      row.remove();
      this.rows.delete(i);
    }
    for (let i = first; i < last; i++) this.place(i);
  }
}
