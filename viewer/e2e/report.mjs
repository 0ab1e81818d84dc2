// End-to-end tests of the report, opened from disk. HEURT_REPORT names a report of the program; without it one is made.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { make_report, report_html } from '../mock/report.mjs';
import { SHOTS, check, open, peek, until } from './browser.mjs';

export function report_tests() {
  const folder = mkdtempSync(join(tmpdir(), 'heurt-report-'));
  const write = (name, data) => {
    const path = join(folder, name);
    writeFileSync(path, report_html(data));
    return pathToFileURL(path).href;
  };
  const url = process.env.HEURT_REPORT ? pathToFileURL(process.env.HEURT_REPORT).href : write('small.html', make_report(40));
  const tests = [];
  const test = (name, run) => tests.push({ name, run });

  test('report: opens from disk and requests nothing', async (browser) => {
    const { page, faults, requests, context } = await open(browser, url);
    await until('a picture', async () => (await peek(page, 'pictures')) > 0);
    check((await peek(page, 'count_pixels()')) > 5000, 'nothing is drawn');
    check(requests.filter((r) => r !== url && !r.startsWith('data:')).length === 0, `requests: ${requests.join(' ')}`);
    check(faults.length === 0, faults.join('; '));
    await page.screenshot({ path: join(SHOTS, 'report-dark.png') });
    await context.close();
  });

  test('report: a click on a finding isolates the pair and draws contours', async (browser) => {
    const { page, faults, context } = await open(browser, url, { colorScheme: 'light' });
    await until('rows', async () => (await page.locator('#findings .row').count()) > 0);
    const badges = await page.locator('.badges button:visible').count();
    check(badges > 0 && badges <= 20, `${badges} badges`);
    await page.click('#findings .row >> nth=0');
    await until('the choice', async () => (await peek(page, 'selected')) !== null);
    const finding = await page.evaluate(() => heurt.data.findings[heurt.selected]);
    const colour = { clash: '#D55E00', duplicate: '#D55E00', inside: '#CC79A7', touching: '#F0E442', near: '#56B4E9' }[finding.kind];
    if (finding.contours?.length) await until('contours', async () => (await peek(page, `count_pixels('${colour}', 6)`)) > 20);
    // The next frame hides them.
    await until('the pair without badges', async () => (await page.locator('.badges button:visible').count()) === 0);
    await until('the label', async () => page.locator('#depth-label').isVisible());
    check((await page.textContent('#depth-label')).startsWith('1: '), 'the label has no number');
    const shown = await page.textContent('#findings .row >> nth=0 >> .cell.depth');
    check(!finding.depth_text || shown.startsWith(finding.depth_text), `the depth is ${shown}`);
    await page.waitForTimeout(500);
    await page.screenshot({ path: join(SHOTS, 'report-pair.png') });
    for (const mode of ['hide', 'show', 'ghost']) await page.click(`[data-others=${mode}]`);
    await page.click('#separate');
    const first = await peek(page, 'selected');
    await page.keyboard.press('j');
    await until('the next finding', async () => (await peek(page, 'selected')) !== first);
    await page.keyboard.press('Escape');
    await until('all parts', async () => (await peek(page, 'selected')) === null);
    check(faults.length === 0, faults.join('; '));
    await context.close();
  });

  test('report: badges keep clear of each other, and a cut is filled', async (browser) => {
    // Pins through a plate, all found at one place.
    const data = make_report(12);
    for (const finding of data.findings) finding.where = [0, 0, 0];
    const { page, faults, context } = await open(browser, write('cut.html', data), { colorScheme: 'light' });
    await until('badges', async () => (await page.locator('.badges button:visible').count()) > 4);
    const boxes = await page.locator('.badges button:visible').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
    const meet = boxes.some((p, i) => boxes.slice(0, i).some((q) => p.left < q.right && q.left < p.right && p.top < q.bottom && q.top < p.bottom));
    check(!meet, 'badges cover each other');
    check((await page.locator('.badges line[visibility=visible]').count()) === boxes.length - 1, 'badges that were moved have no lines');
    // The colour of clashes is in the cut only where a bolt and the plate overlap.
    const clash = `count_pixels('#D55E00', 3)`;
    check((await peek(page, clash)) === 0, 'the colour of clashes before the cut');
    await page.keyboard.press('l');
    await page.selectOption('#cut', '+z');
    await page.fill('#cut-place', '0.45');
    await until('filled overlaps', async () => (await peek(page, clash)) > 50);
    await page.screenshot({ path: join(SHOTS, 'report-cut.png') });
    const filled = await peek(page, clash);
    // A surface without an inside has no cut face.
    await page.evaluate(() => heurt.data.parts.forEach((part) => { part.solid = false; }));
    await page.selectOption('#cut', 'off');
    await page.selectOption('#cut', '+z');
    check((await peek(page, clash)) < filled / 10, 'a cut of surfaces is filled');
    check(faults.length === 0, faults.join('; '));
    await context.close();
  });

  test('report: sorts and filters', async (browser) => {
    const { page, context } = await open(browser, url);
    await until('rows', async () => (await page.locator('#findings .row').count()) > 0);
    const all = await peek(page, 'shown.length');
    await page.click('[data-sort=depth]');
    const depths = await page.evaluate(() => heurt.shown.map((i) => heurt.data.findings[i]).map((f) => (f.kind === 'near' ? -f.gap : f.depth ?? 0)));
    check(depths.every((d, i) => i === 0 || d <= depths[i - 1]), `depths are not in order: ${depths}`);
    await page.click('[data-sort=parts]');
    const name = await page.evaluate(() => heurt.data.parts[heurt.data.findings[0].b].name);
    await page.fill('#findings input[type=search]', name);
    const some = await page.evaluate(() => heurt.shown.map((i) => heurt.data.findings[i]).map((f) => [heurt.data.parts[f.a].name, heurt.data.parts[f.b].name].join()));
    check(some.length > 0 && some.length <= all && some.every((text) => text.includes(name)), `the filter keeps ${some}`);
    await page.fill('#findings input[type=search]', '');
    const kind = await page.locator('.kind-chip[data-kind] >> nth=0').getAttribute('data-kind');
    await page.click('.kind-chip[data-kind] >> nth=0');
    const kinds = await page.evaluate(() => heurt.shown.map((i) => heurt.data.findings[i].kind));
    check(!kinds.includes(kind), `${kind} is still shown`);
    await context.close();
  });

  test('report: parts, summary, and a telephone', async (browser) => {
    const { page, faults, context } = await open(browser, url, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme: 'light' });
    await until('a picture', async () => (await peek(page, 'pictures')) > 0);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    check(wide <= 390, `the page is ${wide} pixels wide`);
    await page.screenshot({ path: join(SHOTS, 'report-phone.png') });
    await page.tap('[data-tab=parts]');
    await page.tap('#parts .row >> nth=0');
    await until('a part', async () => (await peek(page, 'part')) !== null);
    await page.waitForTimeout(500);
    await page.screenshot({ path: join(SHOTS, 'report-phone-part.png') });
    await page.tap('[data-tab=summary]');
    await until('numbers', async () => page.locator('#summary').isVisible());
    check(faults.length === 0, faults.join('; '));
    await context.close();
  });

  test('report: prints the summary, a picture and the table', async (browser) => {
    const { page, context } = await open(browser, url);
    await until('a picture', async () => (await peek(page, 'pictures')) > 0);
    await page.pdf({ path: join(SHOTS, 'report.pdf'), format: 'A4' });
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    const rows = await page.locator('.print tbody tr').count();
    check(rows >= (await peek(page, 'shown.length')), `${rows} rows are printed`);
    await context.close();
  });

  test('report: a thousand parts open in less than three seconds', async (browser) => {
    for (const unique of [false, true]) {
      const { page, context } = await open(browser, write('large.html', make_report(1000, unique)));
      const ms = await until('it is open', () => peek(page, 'opened_ms'));
      console.log(`  1,000 parts, ${unique ? 'each with a mesh of its own' : 'five meshes'}: ${ms.toFixed(0)} ms`);
      check(ms < 3000, `it took ${ms} ms`);
      await until('a picture', async () => (await peek(page, 'pictures')) > 0);
      await context.close();
    }
  });

  test('report: no findings, no unit, a bad mesh, hostile names', async (browser) => {
    const data = make_report(20);
    Object.assign(data, { findings: [], gone: [], notes: [], unit: null });
    data.meshes[1] = 'AAAA';
    data.parts[2].name = '</script><script>document.title="bad"</script>';
    data.title = '<img src=x onerror=alert(1)>';
    const { page, faults, context } = await open(browser, write('odd.html', data));
    await until('a picture', async () => (await peek(page, 'pictures')) > 0);
    check((await page.textContent('#findings-shown')).startsWith('Nothing was found'), 'the list does not say that it is empty');
    check((await page.title()) === '<img src=x onerror=alert(1)> – heurt', `the title is ${await page.title()}`);
    check((await page.textContent('[data-tab=summary]')).includes('1 note'), 'the bad mesh is not noted');
    check(faults.length === 0, faults.join('; '));
    await context.close();
  });
  return tests;
}
