// A disk that fails to sync: from then on the server acknowledges nothing, and what it has acknowledged before is there.

import { register, UnexpectedAnswer } from './calls.ts';
import { noFacts } from './facts.ts';
import { startTraced } from './traced-server.ts';
import { tablesOfFile, verify } from './verify.ts';

/** The first syncs are the start's own. */
const FIRST_FAILING_SYNC = 25;
const REGISTRATIONS = 60;

/** Prints what it found; false if something was promised after the failure, or lost. */
export async function failSyncs(): Promise<boolean> {
  const calls = 'fdatasync,fsync';
  const traced = await startTraced([`trace=${calls}`, `inject=${calls}:error=EIO:when=${FIRST_FAILING_SYNC}`]);
  if (!traced) return false;
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
    console.log(
      `one sync failed: ${facts.accounts.length} registrations acknowledged before it, ${refused} refused with 503 from then on, ` +
        `${acknowledgedAfter} acknowledged after it; ${problems.length} problems after a restart`,
    );
    for (const problem of problems) console.log(problem);
    return refused > 0 && acknowledgedAfter === 0 && problems.length === 0 && facts.accounts.length > 0;
  } finally {
    traced.remove();
  }
}
