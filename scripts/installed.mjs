// Compares the lockfile with npm's own record of what it installed. Using that record means that an image built with
// `npm ci` starts without a network, and that a package added by hand is not installed twice.
import { readFileSync } from 'node:fs';
import { inRoot } from './root.mjs';

export const installRecord = inRoot('node_modules', '.package-lock.json');

const THE_PROJECT = '';

export function isInstalled({ dev }) {
  const locked = packagesIn(inRoot('package-lock.json'));
  const installed = packagesIn(installRecord);
  if (!locked || !installed) return false;
  return Object.entries(locked)
    .filter(([path, wanted]) => path !== THE_PROJECT && isNeeded(wanted, dev))
    .every(([path, wanted]) => isSame(installed[path], wanted));
}

function packagesIn(lockfile) {
  try {
    return JSON.parse(readFileSync(lockfile, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

// Optional packages are binaries for one platform each, and npm installs the matching one; peers may be missing.
const isNeeded = (wanted, dev) => !wanted.optional && !wanted.devOptional && !wanted.peer && (dev || !wanted.dev);

const isSame = (installed, wanted) =>
  installed?.version === wanted.version && installed?.integrity === wanted.integrity;
