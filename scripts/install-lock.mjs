// Lets one process at a time change node_modules: `npm start` and `npm test` may start together on a fresh clone.
//
// The lock is a folder with one file, named after its owner's process id. Both critical steps are a single rename: a
// prepared folder becomes the lock only if there is none, and a dead owner's file is taken over only if it still exists.
import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inRoot } from './root.mjs';

const POLL_MS = 200;
const HEARTBEAT_MS = 2_000;
// A process id can be reused, especially in a container, so an owner must also show a heartbeat. It is measured in polls,
// not in clock time, so that a laptop that slept keeps its lock.
const SILENT_POLLS_MAX = 150;

const lock = inRoot('.install-lock');
const me = String(process.pid);

export async function withInstallLock(work) {
  await acquire();
  const heartbeat = setInterval(touch, HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    release();
  }
}

async function acquire() {
  let lastBeat;
  let silentPolls = 0;
  for (let poll = 0; ; poll++) {
    if (claim()) return;
    const owner = readOwner();
    silentPolls = owner?.beat === lastBeat ? silentPolls + 1 : 0;
    lastBeat = owner?.beat;
    if (owner && (!isAlive(owner.pid) || silentPolls > SILENT_POLLS_MAX) && takeOver(owner)) return;
    if (poll === 0) process.stderr.write('Waiting for another install to finish…\n');
    await sleep(POLL_MS);
  }
}

function claim() {
  const prepared = `${lock}-${me}`;
  mkdirSync(prepared, { recursive: true });
  writeFileSync(join(prepared, me), '');
  const claimed = succeeds(() => renameSync(prepared, lock), ['ENOTEMPTY', 'EEXIST', 'EPERM']);
  if (!claimed) rmSync(prepared, { recursive: true, force: true });
  return claimed;
}

function readOwner() {
  try {
    const [pid] = readdirSync(lock);
    return pid === undefined ? undefined : { pid, beat: statSync(join(lock, pid)).mtimeMs };
  } catch {
    return undefined;
  }
}

function isAlive(pid) {
  // A lock with this process's own id was left by an earlier process.
  if (pid === me) return false;
  return succeeds(() => process.kill(Number(pid), 0), ['ESRCH']);
}

function takeOver(owner) {
  const taken = succeeds(() => renameSync(join(lock, owner.pid), join(lock, me)), ['ENOENT']);
  if (taken) touch();
  return taken;
}

function touch() {
  const now = new Date();
  succeeds(() => utimesSync(join(lock, me), now, now), ['ENOENT']);
}

function release() {
  rmSync(join(lock, me), { force: true });
  succeeds(() => rmdirSync(lock), ['ENOTEMPTY', 'EEXIST', 'ENOENT']);
}

/** Returns false for the expected errors; any other is thrown. */
function succeeds(action, expectedErrors) {
  try {
    action();
    return true;
  } catch (error) {
    if (expectedErrors.includes(error.code)) return false;
    throw error;
  }
}
