// Makes node_modules match package-lock.json; does nothing if it already does.
import { rmSync } from 'node:fs';
import { bunRuns, placeBunBinary } from './bun.mjs';
import { runChild } from './child.mjs';
import { ScriptFailure } from './fail.mjs';
import { withInstallLock } from './install-lock.mjs';
import { installRecord, isInstalled } from './installed.mjs';
import { npmCommand } from './npm.mjs';

// These flags override the person's npm settings and NODE_ENV; Bun's binary is an optional package.
const NPM_FLAGS = ['--include=optional', '--no-audit', '--no-fund', '--no-progress', '--loglevel=error'];

export async function install({ dev }) {
  if (isReady({ dev })) return;
  await withInstallLock(async () => {
    if (isReady({ dev })) return;
    process.stderr.write('Installing packages…\n');
    if (!isInstalled({ dev })) await installPackages({ dev });
    if (!bunRuns()) await quietly('Putting the Bun binary in place', placeBunBinary);
    if (!bunRuns()) throw new ScriptFailure('Bun is installed but does not run on this machine.');
  });
}

const isReady = ({ dev }) => isInstalled({ dev }) && bunRuns();

async function installPackages({ dev }) {
  const command = installCommand({ dev });
  if (command[0] === 'ci') {
    // An interrupted `npm ci` leaves an incomplete tree: without npm's record it does not count as complete.
    rmSync(installRecord, { force: true });
  }
  await quietly('Installing packages', (onOutput) => {
    const [npm, ...first] = npmCommand();
    return runChild(npm, [...first, ...command, ...NPM_FLAGS], { onOutput });
  });
}

function installCommand({ dev }) {
  if (!dev) return ['ci', '--omit=dev'];
  // `npm ci` deletes node_modules first, which a running server may be using; `npm install` only adds to it.
  if (isInstalled({ dev: false })) return ['install', '--no-save', '--include=dev'];
  return ['ci', '--include=dev'];
}

/** Shows a command's output only if it fails. */
async function quietly(what, run) {
  const output = [];
  const exitCode = await run((chunk) => output.push(chunk)).catch((error) => {
    output.push(Buffer.from(`${error.message}\n`));
    return 1;
  });
  if (exitCode === 0) return;
  process.stderr.write(Buffer.concat(output));
  if (exitCode > 128) throw new ScriptFailure(`${what} was interrupted.`, exitCode);
  throw new ScriptFailure(`${what} failed; see above.`);
}
