// Notices: toasts for errors, and a banner for the end of a run.
import { by_id, h } from '../dom';

const TOAST_MS = 7000;
const MOST_TOASTS = 4;

/** Shows an error for some seconds. The same text is counted, not repeated. */
export function toast(message: string): void {
  const list = by_id('toasts');
  const same = [...list.children].find((c) => (c as HTMLElement).dataset.message === message) as HTMLElement | undefined;
  if (same) {
    const times = Number(same.dataset.times ?? '1') + 1;
    same.dataset.times = String(times);
    same.querySelector('.times')!.textContent = `×${times}`;
    return;
  }
  const close = (): void => item.remove();
  const item = h('div', { class: 'toast', role: 'alert', 'data-message': message },
    h('span', {}, message), h('span', { class: 'times' }), h('button', { class: 'icon', 'aria-label': 'close this message', click: close }, '×'));
  list.append(item);
  while (list.children.length > MOST_TOASTS) list.firstElementChild!.remove();
  setTimeout(close, TOAST_MS);
}

/** Shows a line over the view until it is closed. */
export function banner(message: string): void {
  const element = by_id('banner');
  element.replaceChildren(h('span', {}, message), h('button', { class: 'icon', 'aria-label': 'close', click: () => (element.hidden = true) }, '×'));
  element.hidden = false;
}
