// Small helpers for the document: build elements, find elements, write numbers.

type Child = Node | string | null | undefined | false;

/** Builds an element. Attributes of a function value become listeners. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | number | boolean | null | undefined | ((event: any) => void)> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

/** Returns the element with this id; it has to be there. */
export function by_id<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`no element #${id}`);
  return element as T;
}

/** Sets the text where it differs, so that the layout stays. */
export function set_text(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Writes a number with approximately `digits` significant digits and no more than needed. */
export function number_text(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined) return '–';
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(Math.max(0, digits - 2)).replace('e+', 'e');
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return value.toFixed(Math.min(decimals, 6)).replace('-', '−');
}

/** Writes coordinates with the same number of decimals. */
export function vector_text(values: ArrayLike<number> | null | undefined, decimals = 4): string {
  if (!values) return '–';
  return Array.from(values, (v) => v.toFixed(decimals).replace('-', '−')).join('  ');
}

/** Writes an integer with thin spaces between thousands. */
export function count_text(value: number): string {
  return value.toFixed(0).replace(/\B(?=(\d{3})+$)/g, '\u2009');
}

/** Reports whether a key press belongs to a text field. */
export function is_typing(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement | null;
  if (!target) return false;
  if (target instanceof HTMLInputElement) return !['range', 'checkbox', 'button', 'radio'].includes(target.type);
  return target instanceof HTMLTextAreaElement || target.isContentEditable;
}

/** Lets buttons and boxes go after a click by a pointer, so that the space bar plays and does not press them again. */
export function release_focus(): void {
  addEventListener('click', (event) => {
    const control = (event.target as Element | null)?.closest<HTMLElement>('button, input[type="checkbox"]');
    if (event.detail > 0 && control && !control.closest('dialog')) control.blur();
  });
}
