// Build: writes dist/ with the live page and the report, each as one classic script and one style sheet without hashes.
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const dist = new URL('./dist/', import.meta.url);
const watch = process.argv.includes('--watch');

// The folder itself stays, with its .gitignore: cargo watches it.
mkdirSync(dist, { recursive: true });
for (const file of readdirSync(dist)) {
  if (file !== '.gitignore') rmSync(new URL(file, dist), { recursive: true });
}

for (const [name, input] of [['viewer', 'src/live/main.ts'], ['report', 'src/report/main.ts']]) {
  await build({
    configFile: false,
    root: fileURLToPath(new URL('.', import.meta.url)),
    logLevel: 'warn',
    build: {
      outDir: 'dist',
      emptyOutDir: false,
      target: 'es2022',
      minify: !watch,
      modulePreload: false,
      cssCodeSplit: false,
      chunkSizeWarningLimit: 900,
      watch: watch ? {} : null,
      rollupOptions: {
        input,
        output: { format: 'iife', entryFileNames: `${name}.js`, assetFileNames: `${name}[extname]` },
      },
    },
  });
}

copyFileSync(new URL('index.html', import.meta.url), new URL('index.html', dist));
copyFileSync(new URL('report.html', import.meta.url), new URL('report.html', dist));

if (!watch) {
  const license = readFileSync(new URL('node_modules/three/LICENSE', import.meta.url), 'utf8').trim();
  for (const name of ['viewer.js', 'report.js']) {
    const path = new URL(name, dist);
    const notice = `/*! The page of heurt, MIT OR Apache-2.0. It holds three.js:\n${license.replaceAll('*/', '')}\n*/\n`;
    // The report's script stands inside an HTML element: nothing in it may end the element or open a comment.
    const script = notice + readFileSync(path, 'utf8').replace(/<\/(script)/gi, '<\\/$1').replace(/<!--/g, '<\\!--');
    for (const mark of ['{{DATA}}', '{{TITLE}}', '/*STYLE*/', '/*SCRIPT*/']) {
      if (script.includes(mark)) throw new Error(`${name} holds the mark ${mark}`);
    }
    writeFileSync(path, script);
  }
  const expected = ['index.html', 'report.css', 'report.html', 'report.js', 'viewer.css', 'viewer.js'];
  const found = readdirSync(dist).filter((file) => file !== '.gitignore').sort();
  if (found.join() !== expected.join()) throw new Error(`dist holds ${found.join()}, not ${expected.join()}`);
  for (const file of found) console.log(`${file}: ${(statSync(new URL(file, dist)).size / 1000).toFixed(1)} kB`);
}
