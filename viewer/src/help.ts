// Help overlay: the keys and gestures of the page.
import { h } from './dom';

export type HelpRows = [keys: string, effect: string][];

/** Opens or closes the help. */
export function toggle_help(sections: { title: string; rows: HelpRows }[]): void {
  const open = document.querySelector<HTMLDialogElement>('dialog.help');
  if (open) {
    open.close();
    return;
  }
  const body = sections.map(({ title, rows }) =>
    h('section', {}, h('h3', {}, title), h('dl', { class: 'keys' }, ...rows.flatMap(([keys, effect]) => [
      h('dt', {}, ...keys.split(' ').map((key) => h('kbd', {}, key))), h('dd', {}, effect),
    ]))));
  const dialog = h('dialog', { class: 'help', 'aria-label': 'keys and gestures', close: () => dialog.remove() },
    h('header', {}, h('h2', {}, 'Keys and gestures'), h('button', { class: 'icon', 'aria-label': 'close the help', click: () => dialog.close() }, '×')),
    h('div', { class: 'help-body' }, ...body));
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
}

export const VIEW_KEYS: HelpRows = [
  ['drag', 'turn (fly, walk: look around)'],
  ['right-drag', 'shift the view; two fingers on a touch screen'],
  ['wheel', 'zoom to the pointer; pinch on a touch screen'],
  ['F', 'show everything'],
  ['Shift+F', 'show the selection'],
  ['1 … 6', 'views from +x −x +y −y +z −z'],
  ['0', 'isometric view'],
  ['O', 'perspective or orthographic'],
  ['L', 'feature edges'],
  ['X', 'see through surfaces'],
];

export const GENERAL_KEYS: HelpRows = [
  ['/', 'search'],
  ['Esc', 'select nothing'],
  ['T', 'light or dark'],
  ['?', 'this help'],
];
