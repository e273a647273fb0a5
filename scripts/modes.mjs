// What each npm script runs, and whether it needs the development packages.
import { runBun } from './bun.mjs';
import { check } from './check.mjs';
import { ScriptFailure } from './fail.mjs';
import { install } from './install.mjs';
import { test } from './test.mjs';

const modes = {
  serve: { dev: false, run: (args) => runBun(['src/main.ts', ...args]) },
  gateway: { dev: false, run: (args) => runBun(['src/cli.ts', ...args]) },
  build: { dev: false, run: (args) => runBun(['scripts/build.ts', ...args]) },
  test: { dev: true, run: test },
  check: { dev: true, run: check },
  bun: { dev: true, run: runBun },
};

/** Returns the exit code. */
export async function runMode(name, args) {
  if (!Object.hasOwn(modes, name ?? '')) {
    throw new ScriptFailure(`Usage: node scripts/run.mjs ${Object.keys(modes).join('|')} [args]`, 2);
  }
  const mode = modes[name];
  await install({ dev: mode.dev });
  return mode.run(args);
}
