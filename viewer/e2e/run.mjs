// End-to-end tests: `npm run e2e [words of a name]`. HEURT_URL names a running server; without it the mock server is started.
// HEURT_URL=http://127.0.0.1:8000/ HEURT_REPORT=out.html HEURT_INTERSECTS=0 npm run e2e
// HEURT_CROWD names a server of a crowd; then only the tests of crowds run.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { SHOTS, launch } from './browser.mjs';
import { crowd_tests } from './crowd.mjs';
import { live_tests } from './live.mjs';
import { mode_tests } from './modes.mjs';
import { report_tests } from './report.mjs';

const TEST_MS = 90000;

function start_mock(args = []) {
  const child = spawn(process.execPath, [fileURLToPath(new URL('../mock/server.mjs', import.meta.url)), '--port', '0', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((done, fail) => {
    child.once('exit', (code) => fail(new Error(`the mock server ended with ${code}`)));
    child.stdout.once('data', (text) => done({ url: `${String(text).match(/http:\S+/)[0]}/`, stop: () => child.kill() }));
  });
}

const crowd = process.env.HEURT_CROWD;
const mock = process.env.HEURT_URL || crowd ? null : await start_mock(['--steps', '100000']);
const base = process.env.HEURT_URL ?? mock?.url;
const words = process.argv.slice(2);
const all = crowd ? crowd_tests(crowd) : [...live_tests(base), ...report_tests(), ...(mock ? mode_tests(start_mock) : [])];
const tests = all.filter((t) => words.every((w) => t.name.includes(w)));
const browser = await launch();
let failed = 0;
for (const { name, run } of tests) {
  const began = Date.now();
  let timer;
  try {
    await Promise.race([run(browser), new Promise((_, fail) => { timer = setTimeout(() => fail(new Error('out of time')), TEST_MS); })]);
    console.log(`ok    ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed++;
    console.log(`FAIL  ${name}: ${error.message}`);
  }
  clearTimeout(timer);
  for (const context of browser.contexts()) await context.close();
}
await browser.close();
mock?.stop();
console.log(`${tests.length - failed} of ${tests.length} passed; pictures: ${SHOTS}`);
process.exit(failed ? 1 : 0);
