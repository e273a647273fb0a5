// The `test` mode: types, lint, then every test; or only the test files given. Ends with one line of totals. With
// `--record`, the figures of a run without a failure are written to docs/figures.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { runBun } from './bun.mjs';
import { bunTest } from './bun-test.mjs';
import { runSteps, typesAndLint } from './check.mjs';
import { ScriptFailure } from './fail.mjs';
import { readTotals } from './junit.mjs';
import { inRoot, root } from './root.mjs';

/**
 * Files share nothing but the machine. Much of their time they wait for timers and processes, so there are more workers than
 * processors. The slowest files start first: one of them at the end would run alone.
 */
const WORKERS = Math.min(8, 2 * availableParallelism());
const TIMINGS = inRoot('test', 'timings.json');
const IN_PARALLEL = [`--parallel=${WORKERS}`, '--no-isolate', `--timings=${TIMINGS}`];

const RECORD = '--record';

/** Returns the exit code. */
export async function test(allArgs) {
  const args = allArgs.filter((arg) => arg !== RECORD);
  const recordedAs = allArgs.includes(RECORD) ? nameOfRun(args) : undefined;
  const startedAt = performance.now();
  const checksFailed = args.length === 0 && (await runSteps(typesAndLint)) !== 0;
  const totals = await runTests(args);
  const problems = findProblems(totals, checksFailed);
  for (const problem of problems) console.log(problem);
  console.log(totalsLine(totals));
  if (problems.length > 0 || totals.failed > 0) return 1;
  if (recordedAs === undefined) return 0;
  const seconds = (performance.now() - startedAt) / 1000;
  return runBun(['scripts/record-tests.ts', recordedAs, `${totals.passed}`, `${totals.skipped}`, `${seconds}`]);
}

function nameOfRun(args) {
  if (args.length === 0) return 'suite';
  if (process.env.HISTORIES !== undefined) return 'histories';
  throw new ScriptFailure('Only a run of every test, and `npm run test:long`, can be recorded.', 2);
}

async function runTests(args) {
  const seed = process.env.SEED ?? String(Date.now() % 1_000_000_000);
  const folder = mkdtempSync(join(tmpdir(), 'gateway-test-'));
  const report = join(folder, 'junit.xml');
  try {
    const words = args.length > 0 ? args : [...IN_PARALLEL, './test/'];
    const exitCode = await bunTest(['--reporter=junit', `--reporter-outfile=${report}`, ...words], {
      // For what the test processes of one run share.
      TEST_RUN_FOLDER: folder,
      SEED: seed,
    });
    console.log(`SEED=${seed} repeats the random cases of this run`);
    const xml = existsSync(report) ? readFileSync(report, 'utf8') : '';
    return readTotals({ xml, exitCode, expectedFiles: filesNamedBy(args) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function filesNamedBy(args) {
  const named = args.length > 0 ? args.filter((arg) => existsSync(arg)).map((arg) => resolve(arg)) : [inRoot('test')];
  return named.flatMap(testFilesIn).map((file) => relative(root, file));
}

function testFilesIn(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true })
    .filter((file) => /\.test\.tsx?$/.test(file))
    .map((file) => join(path, file));
}

function findProblems({ passed, failed, skipped }, checksFailed) {
  const problems = [];
  if (checksFailed) problems.push('Types or lint failed; see above.');
  if (passed + failed === 0) problems.push('No test ran.');
  if (skipped > 0 && process.env.CI === 'true') problems.push('Tests were skipped, which CI does not accept.');
  return problems;
}

const totalsLine = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
