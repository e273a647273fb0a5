// Stands in for npm in test/bootstrap.test.ts: writes down how it was called and makes a node_modules that looks right.
// FAKE_NPM is a JSON object: { bun, delayMs, ignoreScripts, fails }.
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const { bun, delayMs = 0, ignoreScripts = false, fails = false } = JSON.parse(process.env.FAKE_NPM);
const args = process.argv.slice(2);
const [command] = args;
appendFileSync('npm-calls.log', `${JSON.stringify(args)}\n`);
console.log('npm talks on stdout');

if (command === 'ci' && existsSync('node_modules')) {
  for (const entry of readdirSync('node_modules')) rmSync(`node_modules/${entry}`, { recursive: true });
}
await sleep(delayMs);
if (fails) {
  console.error('npm error: the network is down');
  process.exit(1);
}

const put = (path, text) => {
  mkdirSync(path.slice(0, path.lastIndexOf('/')), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
};
const realBun = `#!/bin/sh\nexec '${bun}' "$@"\n`;
const placeholder = 'echo "the install script was not run" >&2\nexit 1\n';
if (!existsSync('node_modules/bun')) {
  put('node_modules/bun/bin/bun.exe', ignoreScripts ? placeholder : realBun);
  put('node_modules/bun/install.js', `require('fs').writeFileSync('bin/bun.exe', ${JSON.stringify(realBun)});`);
  put('node_modules/bun/package.json', '{}');
}
const withDev = args.includes('--include=dev');
if (withDev) {
  const tool = (name) => `console.log('${name} ran'); process.exit(process.env.FAKE_${name}_FAILS ? 1 : 0);`;
  put('node_modules/typescript/bin/tsc', tool('TSC'));
  put('node_modules/@biomejs/biome/bin/biome', tool('BIOME'));
}
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const installed = Object.entries(packages).filter(
  ([path, entry]) => path && !entry.optional && (withDev || !entry.dev),
);
put('node_modules/.package-lock.json', JSON.stringify({ packages: Object.fromEntries(installed) }));
