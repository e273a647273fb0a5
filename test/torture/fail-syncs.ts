// A disk that fails to sync: from then on the server acknowledges nothing, and what it has acknowledged before is there.

import { register, UnexpectedAnswer } from './calls.ts';
import { noFacts } from './facts.ts';
import { startTraced } from './traced-server.ts';
import { tablesOfFile, verify } from './verify.ts';

/** The first syncs are the start's own. */
const FIRST_FAILING_SYNC = 25;
const REGISTRATIONS = 60;

export interface FailedSync {
  acknowledgedBefore: number;
  refused: number;
  acknowledgedAfter: number;
  /** After a restart. */
  problems: string[];
  isRight: boolean;
}

/** Undefined if strace is missing. */
export async function failSyncs(): Promise<FailedSync | undefined> {
  const calls = 'fdatasync,fsync';
  const traced = await startTraced([`trace=${calls}`, `inject=${calls}:error=EIO:when=${FIRST_FAILING_SYNC}`]);
  if (!traced) return undefined;
  const facts = noFacts();
  let refused = 0;
  let acknowledgedAfter = 0;
  try {
    for (let n = 0; n < REGISTRATIONS; n++) {
      try {
        await register({ url: traced.url, facts });
        if (refused > 0) acknowledgedAfter++;
      } catch (error) {
        if (!(error instanceof UnexpectedAnswer) || !error.message.startsWith('503')) throw error;
        refused++;
      }
    }
    await traced.end('SIGKILL');
    const server = await traced.startPlain();
    const { problems } = await verify(tablesOfFile(traced.databaseFile), server.url, facts, new Map(), true);
    server.kill();
    await server.gone;
    const acknowledgedBefore = facts.accounts.length - acknowledgedAfter;
    const isRight = refused > 0 && acknowledgedAfter === 0 && problems.length === 0 && acknowledgedBefore > 0;
    return { acknowledgedBefore, refused, acknowledgedAfter, problems, isRight };
  } finally {
    traced.remove();
  }
}
