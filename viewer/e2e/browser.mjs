// Browser and small helpers of the end-to-end tests.
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const FLAGS = [
  '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync',
];
export const SHOTS = process.env.HEURT_SHOTS ?? join(tmpdir(), 'heurt-shots');
mkdirSync(SHOTS, { recursive: true });

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS });

/** Opens a page and collects what goes wrong on it. */
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'dark', ...options });
  const page = await context.newPage();
  const faults = [];
  const requests = [];
  page.on('console', (m) => {
    // A server may have no icon.
    if (m.type() === 'error' && !m.location().url.endsWith('/favicon.ico')) faults.push(m.text());
  });
  page.on('pageerror', (e) => faults.push(e.message));
  page.on('request', (r) => requests.push(r.url()));
  await page.goto(url);
  return { context, page, faults, requests };
}

/** Returns a value of `window.heurt`. */
export const peek = (page, expression) => page.evaluate(`window.heurt ? window.heurt.${expression} : undefined`);

/** Repeats until `check` gives something true; reports `what` after the time is over. */
export async function until(what, check, ms = 20000) {
  const end = Date.now() + ms;
  let last;
  for (;;) {
    try {
      last = await check();
      if (last) return last;
    } catch (error) {
      last = error.message;
    }
    if (Date.now() > end) throw new Error(`${what}: not within ${ms} ms, last ${JSON.stringify(last)}`);
    await new Promise((r) => setTimeout(r, 100));
  }
}

export function check(condition, what) {
  if (!condition) throw new Error(what);
}
