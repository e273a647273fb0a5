// The Bun binary that the lockfile pins: is it there, put it there, run it.
import { spawnSync } from 'node:child_process';
import { runChild } from './child.mjs';
import { inRoot } from './root.mjs';

const bunBinary = inRoot('node_modules', 'bun', 'bin', 'bun.exe');

/** Before Bun's install script ran, a placeholder stands at this path that is executable too, so only a run can tell. */
export const bunRuns = () => spawnSync(bunBinary, ['--version'], { stdio: 'ignore' }).status === 0;

/** What Bun's install script would have done, for those who install with `ignore-scripts`. Answers the exit code. */
export const placeBunBinary = (onOutput) =>
  runChild(process.execPath, ['install.js'], { cwd: inRoot('node_modules', 'bun'), onOutput });

/** A proxy of the environment is for the world outside: Bun would send calls to this machine through it, too. */
const withoutProxy = (env) => {
  const hosts = [env.NO_PROXY ?? env.no_proxy, 'localhost,127.0.0.1,::1'].filter(Boolean).join(',');
  return { ...env, NO_PROXY: hosts, no_proxy: hosts };
};

/** Answers the exit code. */
export const runBun = (args, env = process.env) =>
  runChild(bunBinary, args, {
    // Bun reads these once, when the process starts. Its default of 256 requests would queue every one beyond it; and
    // compiled code that is a minute old would be thrown away and compiled anew, again and again.
    env: { BUN_CONFIG_MAX_HTTP_REQUESTS: '65535', BUN_JSC_forceCodeBlockLiveness: '1', ...withoutProxy(env) },
  });
