// End-to-end tests of the live page of a crowd, against a server that runs one.
import { join } from 'node:path';
import { SHOTS, check, open, peek, until } from './browser.mjs';

export function crowd_tests(url) {
  return [
    { name: 'crowd: agents walk, their speed is their colour', run: async (browser) => {
      const { page, faults, context } = await open(browser, url);
      await until('a step', async () => (await peek(page, 'step')) > 20);
      const sections = await peek(page, 'sections');
      check(sections.TINT === sections.STAT && sections.LINE > 0, `sections ${JSON.stringify(sections)}`);
      const agent = await page.evaluate(() => heurt.bodies.findIndex((body) => body.kind === 'agent'));
      check(agent === 2, `floor, walls, then agents, not ${agent}`);
      const before = await page.evaluate((agent) => heurt.pose(agent), agent);
      await until('a move', async () => (await page.evaluate((agent) => heurt.pose(agent), agent))[0] !== before[0]);
      check((await page.textContent('#legend')).includes('at rest … full speed'), 'the legend has no scale');
      check(await page.locator('#local-sleeping').count() === 0, 'a switch of bodies is shown');
      await page.screenshot({ path: join(SHOTS, 'crowd.png') });
      check(faults.length === 0, faults.join('; '));
      await context.close();
    } },
    { name: 'crowd: a selected agent has a path, cells around it and a state', run: async (browser) => {
      const { page, faults, context } = await open(browser, url, { colorScheme: 'light' });
      await until('a step', async () => (await peek(page, 'step')) >= 0);
      await page.evaluate(() => heurt.select(5));
      await until('cells around it', async () => (await peek(page, 'sections')).FACE > 0);
      await until('its state', async () => (await page.textContent('#body-detail')).includes('Own speed'));
      check(!(await page.textContent('#body-detail')).includes('Mass'), 'an agent has a mass');
      const lines = (await peek(page, 'sections')).LINE;
      await page.click('#layer-velocities');
      await until('velocities', async () => (await peek(page, 'sections')).LINE > lines);
      await page.click('#local-tint');
      await page.waitForTimeout(300);
      await page.screenshot({ path: join(SHOTS, 'crowd-selected.png') });
      await page.evaluate(() => heurt.send({ do: 'grab', body: 5, at: [0, 0, 0] }));
      await until('a refusal', async () => (await page.locator('.toast').count()) > 0);
      check(faults.length === 0, faults.join('; '));
      await context.close();
    } },
  ];
}
