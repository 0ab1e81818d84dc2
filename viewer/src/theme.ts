// Theme: light or dark, by the system's preference or by a switch that is remembered.

export type Theme = 'light' | 'dark';

const KEY = 'heurt-theme';
const dark_preferred = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<(theme: Theme) => void>();

function stored(): Theme | null {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'light' || value === 'dark' ? value : null;
  } catch {
    return null; // A page from disk may have no storage.
  }
}

let chosen = stored();

/** Returns the theme that holds now. */
export function theme(): Theme {
  return chosen ?? (dark_preferred.matches ? 'dark' : 'light');
}

function apply(): void {
  document.documentElement.dataset.theme = theme();
  for (const listener of listeners) listener(theme());
}

/** Switches to the other theme and remembers it. */
export function toggle_theme(): void {
  chosen = theme() === 'dark' ? 'light' : 'dark';
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // The choice lasts as long as the page.
  }
  apply();
}

/** Calls `listener` now and at each change. */
export function on_theme(listener: (theme: Theme) => void): void {
  listeners.add(listener);
  listener(theme());
}

/** Returns the value of a custom property of the style sheet. */
export function css_value(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

dark_preferred.addEventListener('change', apply);
document.documentElement.dataset.theme = theme();
