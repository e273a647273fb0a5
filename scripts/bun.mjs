// Checks, installs and runs the Bun binary that the lockfile pins.
import { spawnSync } from 'node:child_process';
import { runChild } from './child.mjs';
import { inRoot } from './root.mjs';

const bunBinary = inRoot('node_modules', 'bun', 'bin', 'bun.exe');

/** Before Bun's install script has run, this path has an executable placeholder, so only running it tells. */
export const bunRuns = () => spawnSync(bunBinary, ['--version'], { stdio: 'ignore' }).status === 0;

/** Does the work of Bun's install script, for installations with `ignore-scripts`. Returns the exit code. */
export const placeBunBinary = (onOutput) =>
  runChild(process.execPath, ['install.js'], { cwd: inRoot('node_modules', 'bun'), onOutput });

/** Excludes this machine from a proxy in the environment; Bun would otherwise send loopback calls through it. */
const withoutProxy = (env) => {
  const hosts = [env.NO_PROXY ?? env.no_proxy, 'localhost,127.0.0.1,::1'].filter(Boolean).join(',');
  return { ...env, NO_PROXY: hosts, no_proxy: hosts };
};

/** Returns the exit code. */
export const runBun = (args, env = process.env) =>
  runChild(bunBinary, args, {
    // Bun reads these once, when the process starts. By default it queues requests beyond 256, and discards compiled code
    // after a minute, to compile it again.
    env: { BUN_CONFIG_MAX_HTTP_REQUESTS: '65535', BUN_JSC_forceCodeBlockLiveness: '1', ...withoutProxy(env) },
  });
