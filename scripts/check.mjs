// Checks that do not run the service. All steps run, so that one run shows every problem.
import { bunTest } from './bun-test.mjs';
import { runChild } from './child.mjs';
import { inRoot } from './root.mjs';

const tsc = inRoot('node_modules', 'typescript', 'bin', 'tsc');
const biome = inRoot('node_modules', '@biomejs', 'biome', 'bin', 'biome');

// A second checker would check again most of what the first has checked, and the compiler's memory ends with it anyway.
const ONE_CHECKER = ['--checkers', '1'];
const FEWER_COLLECTIONS = { GOGC: '400' };

export const typesAndLint = {
  types: () =>
    runChild(process.execPath, [tsc, '--noEmit', ...ONE_CHECKER], { env: { ...process.env, ...FEWER_COLLECTIONS } }),
  lint: () => runChild(process.execPath, [biome, 'check', '--error-on-warnings']),
};

/** The `check` mode. Returns the exit code. */
export const check = () => runSteps({ ...typesAndLint, tidy: () => bunTest(['test/tidy.test.ts']) });

/** Returns 0, or 1 if any step failed. */
export async function runSteps(steps) {
  let anyFailed = false;
  for (const [name, run] of Object.entries(steps)) {
    const failed = (await run()) !== 0;
    console.log(`${name}: ${failed ? 'FAILED' : 'ok'}`);
    anyFailed ||= failed;
  }
  return anyFailed ? 1 : 0;
}
