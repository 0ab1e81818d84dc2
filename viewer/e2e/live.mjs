// End-to-end tests of the live page, against any server that runs a scene with at least one dynamic body.
import { join } from 'node:path';
import { SHOTS, check, open, peek, until } from './browser.mjs';
import { make_proxy } from './proxy.mjs';

const frames = (page) => peek(page, 'frames');
const step = (page) => peek(page, 'step');
const playing = (page) => peek(page, 'playing');

async function pause(page) {
  // A frame that has come is not shown yet: only a shown one tells whether the run plays.
  await until('a frame is shown', async () => (await step(page)) >= 0);
  if (await playing(page)) await page.click('#play');
  await until('paused', async () => (await playing(page)) === false);
}

/** Finds a place on the canvas where body `wanted` (or one that fits) is in front. */
async function spot(page, fits) {
  return page.evaluate((source) => {
    const fits = new Function('body', `return (${source})(body)`);
    const box = document.querySelector('#viewport > canvas').getBoundingClientRect();
    for (let j = 0.2; j < 0.9; j += 0.02) {
      for (let i = 0.1; i < 0.9; i += 0.02) {
        const [x, y] = [box.left + i * box.width, box.top + j * box.height];
        if (document.elementFromPoint(x, y)?.tagName !== 'CANVAS') continue;
        const body = heurt.body_at(x, y);
        if (body !== null && fits(heurt.bodies[body])) return { x, y, body };
      }
    }
    return null;
  }, fits.toString());
}

export function live_tests(base) {
  const tests = [];
  const test = (name, run) => tests.push({ name, run });

  test('opens, draws, and reports no error', async (browser) => {
    const { page, faults, requests, context } = await open(browser, base);
    await until('frames', async () => (await frames(page)) > 0);
    await until('pictures', async () => (await peek(page, 'pictures')) > 1);
    const drawn = await peek(page, 'count_pixels()');
    check(drawn > 5000, `only ${drawn} pixels are drawn`);
    check(faults.length === 0, faults.join('; '));
    check(requests.every((url) => url.startsWith(base) || url.startsWith(base.replace('http', 'ws'))), `a foreign request: ${requests.join(' ')}`);
    const text = await page.textContent('#connection');
    check(text === 'connected', `the chip says ${text}`);
    await page.screenshot({ path: join(SHOTS, 'live-dark.png') });
    await context.close();
  });

  test('plays, pauses, steps and goes back', async (browser) => {
    const { page, faults, context } = await open(browser, base);
    await until('frames', async () => (await frames(page)) > 0);
    await pause(page);
    const at = await step(page);
    await page.waitForTimeout(400);
    check((await step(page)) === at, 'the run goes on though it is paused');
    await page.click('#step');
    await until('one step', async () => (await step(page)) === at + 1);
    await page.click('#step10');
    await until('ten steps', async () => (await step(page)) === at + 11);
    await page.keyboard.press('.');
    await until('a step by key', async () => (await step(page)) === at + 12);
    await page.locator('#scrub').evaluate((slider, value) => { slider.value = String(value); slider.dispatchEvent(new Event('input')); }, at + 3);
    await until('an earlier step', async () => (await step(page)) === at + 3 && (await peek(page, 'history')));
    await page.click('#latest');
    await until('the newest step', async () => (await step(page)) === at + 12);
    await page.selectOption('#rate', '0.25');
    await until('slow motion', async () => Math.abs((await peek(page, 'rate')) - 0.25) < 1e-6);
    await page.selectOption('#rate', '1');
    await page.click('#play');
    await until('it plays', async () => (await playing(page)) && (await step(page)) > at + 14);
    await pause(page);
    check(faults.length === 0, faults.join('; '));
    await context.close();
  });

  test('picks a body and shows its state', async (browser) => {
    const { page, faults, context } = await open(browser, base);
    await until('frames', async () => (await frames(page)) > 0);
    await until('a mesh', async () => page.locator('#progress').isHidden());
    await pause(page);
    const at = await until('a body in sight', () => spot(page, (body) => body.kind === 'dynamic'));
    await page.mouse.click(at.x, at.y);
    await until('the selection', async () => (await peek(page, 'selected')) === at.body);
    await until('the live state', async () => /m\/s/.test(await page.textContent('#body-detail')));
    check((await peek(page, "count_pixels('#F0E442')")) > 20, 'the outline is not drawn');
    const name = await page.textContent('#body-name');
    await page.keyboard.press('Escape');
    await until('nothing selected', async () => (await peek(page, 'selected')) === null);
    await page.fill('#body-search', name);
    await page.keyboard.press('Enter');
    await until('the body by its name', async () => (await peek(page, 'selected')) !== null);
    check((await page.textContent('#body-name')).includes(name), 'another body is selected');
    await page.waitForTimeout(500);
    await page.screenshot({ path: join(SHOTS, 'live-selected.png') });
    check(faults.length === 0, faults.join('; '));
    await context.close();
  });

  test('grabs a body and drags it', async (browser) => {
    const { page, faults, context } = await open(browser, base);
    await until('frames', async () => (await frames(page)) > 0);
    await until('a mesh', async () => page.locator('#progress').isHidden());
    await pause(page);
    const at = await until('a body in sight', () => spot(page, (body) => body.kind === 'dynamic'));
    const before = await peek(page, `pose(${at.body})`);
    await page.keyboard.down('Shift');
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x + 40, at.y - 60, { steps: 4 });
    check((await peek(page, 'held')) === at.body, 'the page does not hold the body');
    await page.keyboard.up('Shift');
    await page.evaluate(() => heurt.send({ do: 'play' }));
    await until('the body moves', async () => {
      const now = await peek(page, `pose(${at.body})`);
      return Math.hypot(now[0] - before[0], now[1] - before[1], now[2] - before[2]) > 1e-3;
    });
    await page.mouse.move(at.x + 80, at.y - 120, { steps: 3 });
    await page.waitForTimeout(300);
    await page.screenshot({ path: join(SHOTS, 'live-drag.png') });
    await page.mouse.up();
    await until('it is let go', async () => (await peek(page, 'held')) === null);
    await pause(page);
    check((await page.locator('.toast').count()) === 0, `a toast: ${await page.locator('.toast').allTextContents()}`);
    check(faults.length === 0, faults.join('; '));
    await context.close();
  });

  test('moves a kinematic body by keys', async (browser) => {
    const { page, context } = await open(browser, base);
    await until('frames', async () => (await frames(page)) > 0);
    const body = await page.evaluate(() => heurt.bodies.findIndex((b) => b.kind === 'kinematic'));
    if (body < 0) return void (await context.close());
    await pause(page);
    await page.evaluate((b) => heurt.select(b), body);
    const before = await peek(page, `pose(${body})`);
    await page.locator('#viewport > canvas').focus();
    await page.keyboard.press('PageUp');
    await page.keyboard.press('ArrowRight');
    await page.evaluate(() => heurt.send({ do: 'step', count: 2 }));
    await until('the body is elsewhere', async () => {
      const now = await peek(page, `pose(${body})`);
      return Math.hypot(now[0] - before[0], now[1] - before[1], now[2] - before[2]) > 1e-6;
    });
    await context.close();
  });

  test('draws what was moved, and reports how long it took', async (browser) => {
    const { page, context } = await open(browser, base);
    await until('pictures', async () => (await peek(page, 'pictures')) > 1);
    const body = await page.evaluate(() => heurt.bodies.findIndex((b) => b.kind === 'kinematic'));
    if (body < 0) return void (await context.close());
    await page.evaluate(() => heurt.send({ do: 'play' }));
    await until('it plays', async () => playing(page));
    // From the message to the frame that has the pose, and to the next picture: the times are printed, not judged.
    const times = await page.evaluate(async (body) => {
      const [frames, drawn] = [[], []];
      for (let move = 0; move < 20; move++) {
        const [x, y, z, ...rotation] = heurt.pose(body);
        const began = performance.now();
        heurt.send({ body: heurt.bodies[body].name, pose: { translation: [x, y, z + (move % 2 ? -0.001 : 0.001)], rotation } });
        await new Promise((done, fail) => {
          let pictures = null;
          const look = () => {
            if (performance.now() - began > 20000) return fail(new Error('the move is never drawn'));
            if (pictures === null && Math.abs(heurt.pose(body)[2] - z) > 5e-4) {
              pictures = heurt.pictures;
              frames.push(performance.now() - began);
            }
            if (pictures !== null && heurt.pictures > pictures) return done();
            setTimeout(look, 1);
          };
          look();
        });
        drawn.push(performance.now() - began);
      }
      return [frames, drawn].map((list) => list.sort((a, b) => a - b));
    }, body);
    const [frame, picture] = times.map((list) => `${list[10].toFixed(0)} ms (at most ${list[19].toFixed(0)} ms)`);
    console.log(`      input to frame ${frame}, to picture ${picture}`);
    await context.close();
  });

  test('shows layers, and triangles that intersect in their colour', async (browser) => {
    const { page, faults, context } = await open(browser, base);
    await until('frames', async () => (await frames(page)) > 0);
    await until('a mesh', async () => page.locator('#progress').isHidden());
    const names = await page.locator('#layer-list input[type=checkbox]').evaluateAll((boxes) => boxes.map((b) => b.id));
    if (names.includes('layer-triangles') && process.env.HEURT_INTERSECTS !== '0') {
      await until('triangles', async () => (await peek(page, 'sections')).TRIS > 0);
      await until('their colour', async () => (await peek(page, "count_pixels('#CC79A7', 6)")) > 50);
      await page.uncheck('#layer-triangles');
      check((await peek(page, "count_pixels('#CC79A7', 6)")) === 0, 'triangles stay though their layer is off');
      await page.check('#layer-triangles');
    }
    for (const id of names) await page.check(`#${CSS_escape(id)}`);
    await until('drawings', async () => {
      const s = await peek(page, 'sections');
      return names.length < 3 || s.BOXS + s.LINE + s.FACE + s.PNTS > 0;
    });
    await page.waitForTimeout(600);
    await page.screenshot({ path: join(SHOTS, 'live-layers.png') });
    const whole = await peek(page, 'count_pixels()');
    await page.selectOption('#cut', '-y');
    await until('a cut', async () => (await peek(page, 'count_pixels()')) < whole);
    await page.selectOption('#cut', 'off');
    for (const id of ['surfaces', 'grid', 'edges', 'axes', 'translucent']) await page.click(`#local-${id}`);
    check(faults.length === 0, faults.join('; '));
    await context.close();
  });

  test('answers bad messages with an error that is shown', async (browser) => {
    const { page, context } = await open(browser, base);
    await until('frames', async () => (await frames(page)) > 0);
    await page.evaluate(() => heurt.send({ do: 'nonsense' }));
    await until('a toast', async () => (await page.locator('.toast').count()) > 0);
    await until('the run goes on', async () => (await peek(page, 'connection')) === 'connected');
    await context.close();
  });

  test('serves two pages at once', async (browser) => {
    const one = await open(browser, base);
    const two = await open(browser, base, { colorScheme: 'light' });
    for (const { page } of [one, two]) await until('frames', async () => (await frames(page)) > 0);
    await pause(one.page);
    await until('both are paused', async () => (await playing(two.page)) === false);
    const at = await step(two.page);
    await two.page.click('#step');
    await until('both have stepped', async () => { const now = [await step(one.page), await step(two.page)]; if (now.every((s) => s === at + 1)) return true; throw new Error(`at ${at}, now ${now}`); });
    await two.page.waitForTimeout(300);
    await two.page.screenshot({ path: join(SHOTS, 'live-light.png') });
    await one.context.close();
    await two.context.close();
  });

  test('comes back after the server was away', async (browser) => {
    const proxy = await make_proxy(base);
    const { page, context } = await open(browser, proxy.url);
    await until('frames', async () => (await frames(page)) > 0);
    await proxy.stop();
    await until('the page says so', async () => /lost|connecting/.test(await page.textContent('#connection')));
    const before = await frames(page);
    await page.waitForTimeout(700);
    await proxy.start();
    await until('it is connected again', async () => (await peek(page, 'connection')) === 'connected');
    await page.evaluate(() => heurt.send({ do: 'step', count: 1 }));
    await until('new frames', async () => (await frames(page)) > before);
    await context.close();
    await proxy.stop();
  });

  test('turns, zooms, and looks from standard views', async (browser) => {
    const { page, faults, context } = await open(browser, base);
    await until('frames', async () => (await frames(page)) > 0);
    const where = () => page.evaluate(() => { const p = heurt.project(0.3, 0.2, 0.1); return `${p.x.toFixed(1)} ${p.y.toFixed(1)}`; });
    let last = await where();
    const changed = async (what) => { last = await until(what, async () => { const now = await where(); return now !== last && now; }); };
    await page.mouse.move(700, 400);
    await page.mouse.down();
    await page.mouse.move(760, 430, { steps: 3 });
    await page.mouse.up();
    await changed('turned');
    await page.mouse.wheel(0, -300);
    await changed('zoomed');
    for (const key of ['5', '0', 'o', 'f']) { await page.keyboard.press(key); await page.waitForTimeout(400); }
    await changed('another view');
    await page.click('[data-camera=fly]');
    await page.keyboard.down('KeyW');
    await page.waitForTimeout(300);
    await page.keyboard.up('KeyW');
    await changed('flown');
    await page.click('[data-camera=walk]');
    await page.click('[data-camera=orbit]');
    await page.keyboard.press('?');
    await until('help', async () => page.locator('dialog.help').isVisible());
    await page.screenshot({ path: join(SHOTS, 'live-help.png') });
    await page.keyboard.press('Escape');
    check(faults.length === 0, faults.join('; '));
    await context.close();
  });

  test('fits a telephone', async (browser) => {
    const { page, faults, context } = await open(browser, base, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme: 'light' });
    await until('frames', async () => (await frames(page)) > 0);
    await until('pictures', async () => (await peek(page, 'pictures')) > 1);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    check(wide <= 390, `the page is ${wide} pixels wide`);
    await page.screenshot({ path: join(SHOTS, 'live-phone.png') });
    await page.tap('.tabs [data-tab=layers]');
    await until('the panel', async () => page.locator('[data-panel=layers]').isVisible());
    await page.screenshot({ path: join(SHOTS, 'live-phone-layers.png') });
    await page.tap('.tabs [data-tab=times]').catch(() => {});
    await page.waitForTimeout(300);
    await page.screenshot({ path: join(SHOTS, 'live-phone-times.png') });
    check(faults.length === 0, faults.join('; '));
    await context.close();
  });

  return tests;
}

function CSS_escape(id) {
  return id.replace(/[^a-zA-Z0-9_-]/g, (c) => `\\${c}`);
}
