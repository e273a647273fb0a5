// Entry point of every npm script: `node scripts/run.mjs MODE [args]`. Installs what is missing, then starts Bun. Plain
// JavaScript without dependencies, because it runs before anything is installed.
import { fail, ScriptFailure } from './fail.mjs';

const OLDEST_NODE = 20;

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  fail(`Node ${OLDEST_NODE} or newer is needed to start; this is Node ${process.versions.node}.`);
} else {
  // Loaded late, so that an old Node prints the message above and not a syntax error.
  const { runMode } = await import('./modes.mjs');
  try {
    process.exitCode = await runMode(process.argv[2], process.argv.slice(3));
  } catch (error) {
    fail(error instanceof ScriptFailure ? error.message : error.stack, error.exitCode);
  }
}
