// End-to-end tests of the mock server in its other modes: read only, files, limited control.
import { join } from 'node:path';
import { SHOTS, check, open, peek, until } from './browser.mjs';

export function mode_tests(start_mock) {
  const with_mock = (args, run) => async (browser) => {
    const mock = await start_mock(args);
    try {
      await run(browser, mock.url);
    } finally {
      mock.stop();
    }
  };
  return [
    { name: 'read only: the page may look only', run: with_mock(['--read-only'], async (browser, url) => {
      const { page, context } = await open(browser, url);
      await until('frames', async () => (await peek(page, 'frames')) > 0);
      check(await page.locator('#play').isDisabled(), 'play is not disabled');
      check(await page.locator('#read-only').isVisible(), 'the page does not say so');
      await context.close();
    }) },
    { name: 'files: no play controls', run: with_mock(['--files'], async (browser, url) => {
      const { page, faults, context } = await open(browser, url, { colorScheme: 'light' });
      await until('frames', async () => (await peek(page, 'frames')) > 0);
      check(await page.locator('.transport').isHidden(), 'the controls are shown');
      await page.waitForTimeout(500);
      await page.screenshot({ path: join(SHOTS, 'files-light.png') });
      check(faults.length === 0, faults.join('; '));
      await context.close();
    }) },
    { name: 'control: other bodies stay', run: with_mock(['--control', 'visitor', '--paused'], async (browser, url) => {
      const { page, context } = await open(browser, url);
      await until('frames', async () => (await peek(page, 'frames')) > 0);
      check((await page.textContent('#key-note')).includes('visitor'), 'the keys do not move the visitor');
      await page.evaluate(() => heurt.send({ do: 'grab', body: 7, at: [0, 0, 0], target: [0, 0, 0] }));
      await until('a refusal', async () => (await page.locator('.toast').count()) > 0);
      await context.close();
    }) },
    { name: 'the end of a run is a banner', run: with_mock(['--steps', '20'], async (browser, url) => {
      const { page, context } = await open(browser, url);
      await until('frames', async () => (await peek(page, 'frames')) > 0);
      await page.evaluate(() => heurt.send({ do: 'step', count: 30 }));
      await until('the banner', async () => page.locator('#banner').isVisible());
      const late = await open(browser, url);
      await until('the banner of a page that comes later', async () => late.page.locator('#banner').isVisible());
      await late.context.close();
      await context.close();
    }) },
    { name: 'a thousand bodies', run: with_mock(['--count', '1000'], async (browser, url) => {
      const { page, faults, context } = await open(browser, url);
      await until('frames', async () => (await peek(page, 'frames')) > 5);
      await until('pictures', async () => (await peek(page, 'pictures')) > 3, 40000);
      await page.screenshot({ path: join(SHOTS, 'live-thousand.png') });
      check(faults.length === 0, faults.join('; '));
      await context.close();
    }) },
  ];
}
