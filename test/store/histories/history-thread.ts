// A share of the histories on a thread and in a database file of its own, so that two cores are twice as fast as one.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { audit } from '../../../src/store/sqlite/backup.ts';
import { prepareCommits } from '../../../src/store/sqlite/commit-batch.ts';
import { migrate } from '../../../src/store/sqlite/migrate.ts';
import { openDatabase } from '../../../src/store/sqlite/open-database.ts';
import { compareFileProfit } from './compare-profit.ts';
import { runHistories } from './run-histories.ts';
import { sqliteSubject } from './subject.ts';

declare const self: Worker;

export interface Share {
  runs: number;
  seed: number;
}

const LANES = 64;

/** What went wrong, if anything did. */
export function runShare(share: Share): Promise<string | undefined> {
  const worker = new Worker(new URL(import.meta.url).href);
  return new Promise<string | undefined>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<{ report: string | undefined }>) => resolve(data.report);
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage(share);
  }).finally(() => worker.terminate());
}

async function run({ runs, seed }: Share): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-histories-'));
  const db = openDatabase(join(folder, 'ledger.sqlite'), { unsafeNoSync: true });
  try {
    migrate(db);
    // Histories that crash leave thousands of holds open, and those of an account are summed up after every step.
    db.run('CREATE INDEX histories_holds ON holds (account_id)');
    const subject = sqliteSubject(db, prepareCommits(db).commitBatch, seed);
    const report = await runHistories({ subject: () => subject, runs, lanes: LANES, seed });
    const { differences } = audit(db, {});
    const audited = differences.length > 0 ? `audit: ${JSON.stringify(differences)}` : undefined;
    return report ?? audited ?? (await compareFileProfit(db));
  } finally {
    db.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (!Bun.isMainThread) {
  self.onmessage = async ({ data }: MessageEvent<Share>) => self.postMessage({ report: await run(data) });
}
