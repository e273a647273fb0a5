// Proves from outside that a money fact is on disk before it is acknowledged: strace lists the server's system calls, and
// between the last write to the write-ahead log and the answer there must be a finished sync of that log.

import { readFileSync } from 'node:fs';
import { register } from './calls.ts';
import { noFacts } from './facts.ts';
import { startTraced } from './traced-server.ts';

const REGISTRATIONS = 20;

interface Traced {
  at: number;
  what: 'log written' | 'log synced' | 'answer';
}

export interface SyncCount {
  acknowledged: number;
  syncs: number;
  /** Answers before the sync of what they acknowledge. */
  early: number;
  isRight: boolean;
}

/** Undefined if strace is missing. */
export async function countSyncs(): Promise<SyncCount | undefined> {
  const traced = await startTraced(['trace=fdatasync,fsync,pwrite64,write,writev,sendto,sendmsg']);
  if (!traced) return undefined;
  try {
    const begunAt = Date.now() / 1000;
    for (let n = 0; n < REGISTRATIONS; n++) await register({ url: traced.url, facts: noFacts() });
    await traced.end('SIGTERM');
    return countIn(readTrace(readFileSync(traced.traceFile, 'utf8')).filter(({ at }) => at >= begunAt));
  } finally {
    traced.remove();
  }
}

/** One call at a time was made, so each answer belongs to the writes and syncs since the answer before it. */
function countIn(events: readonly Traced[]): SyncCount {
  let syncs = 0;
  let acknowledged = 0;
  let early = 0;
  let isDirty = false;
  let wroteSince = false;
  for (const { what } of events) {
    if (what === 'log written') {
      isDirty = true;
      wroteSince = true;
    } else if (what === 'log synced') {
      isDirty = false;
      syncs++;
    } else {
      acknowledged++;
      if (isDirty || !wroteSince) early++;
      wroteSince = false;
    }
  }
  const isRight = acknowledged === REGISTRATIONS && early === 0 && syncs >= acknowledged;
  return { acknowledged, syncs, early, isRight };
}

/** A call that another thread interrupted counts when it is resumed: a sync only protects once it is over. */
function readTrace(text: string): Traced[] {
  const unfinished = new Map<string, string>();
  return text.split('\n').flatMap((line): Traced[] => {
    const [, thread = '', time = '', rest = ''] = /^(\d+)\s+([\d.]+)\s+(.*)$/.exec(line) ?? [];
    const at = Number(time);
    if (rest.includes('<unfinished ...>')) unfinished.set(thread, rest);
    const isResumed = rest.startsWith('<...');
    const call = isResumed ? (unfinished.get(thread) ?? '') : rest;
    if (/^pwrite64\([^)]*-wal>/.test(call)) return isResumed ? [] : [{ at, what: 'log written' }];
    if (/^f(data)?sync\([^)]*-wal>/.test(call)) {
      return / = 0$/.test(rest) ? [{ at, what: 'log synced' }] : [];
    }
    if (/^(write|writev|sendto|sendmsg)\(.*HTTP\/1\.1 201/.test(call)) return isResumed ? [] : [{ at, what: 'answer' }];
    return [];
  });
}
