// `npm run torture`: kills the server at every kill point and at random times, under load, and checks after each kill that
// everything acknowledged is there. Options: --kills N (at least 13), --out FILE for the figures as JSON; `syncs` counts
// the disk syncs before each acknowledgement instead, and makes one fail (needs strace).

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { countSyncs } from '../test/torture/count-syncs.ts';
import { failSyncs } from '../test/torture/fail-syncs.ts';
import { type Kill, type KillReport, killFirstStart, type TortureSummary, torture } from '../test/torture/torture.ts';

const READY_WITHIN_MS = 1_000;
/** Each point kills after at most `most` passes, and at least `least`: the start and the verification pass some, too. */
const POINTS: readonly (readonly [point: string, most: number, least?: number])[] = [
  ['key-checked', 150, 20],
  ['inside-admit', 60],
  ['after-admit', 60],
  ['headers-received', 60],
  ['first-bytes', 40],
  ['mid-stream', 200],
  ['before-settle', 50],
  ['inside-settle', 50],
  ['after-settle', 50],
  ['inside-sweep', 1],
  ['inside-redeem', 12],
  ['inside-register', 12],
  ['inside-posting', 8, 4],
];
const MAX_RANDOM_MS = 700;
const FIRST_STARTS = 5;

/** Every second kill is at a random time, the others cycle through the kill points. */
function plan(count: number): Kill[] {
  return Array.from({ length: count }, (_, index) => {
    if (index % 2 === 1) return { at: { afterMs: 20 + Math.random() * MAX_RANDOM_MS } };
    const [point, most, least = 1] = POINTS[(index / 2) % POINTS.length] ?? ['inside-sweep', 1];
    return { at: `${point}:${least + Math.floor(Math.random() * most)}` };
  }).map(({ at }) => ({ at: typeof at === 'string' && at.startsWith('inside-sweep') ? 'inside-sweep' : at }));
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function print(summary: TortureSummary, seconds: number): void {
  const { kills, facts } = summary;
  const groups = Map.groupBy(kills, ({ kill }) =>
    !kill.startsWith('after ') ? (kill.split(':')[0] ?? kill) : 'random time',
  );
  console.log('\nkilled at      kills  acknowledged before  ready again, median / slowest ms  problems');
  for (const [name, reports] of [...groups].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))) {
    const ready = reports.map(({ readyMs }) => readyMs);
    const sum = (of: (report: KillReport) => number) => reports.reduce((total, report) => total + of(report), 0);
    const cells = [
      name.padEnd(13),
      String(reports.length).padStart(6),
      String(sum(({ acknowledged }) => acknowledged)).padStart(20),
      `${Math.round(median(ready))} / ${Math.round(Math.max(...ready))}`.padStart(34),
      String(sum(({ problems }) => problems.length)).padStart(9),
    ];
    console.log(cells.join(' '));
  }
  const ready = kills.map(({ readyMs }) => readyMs);
  console.log(`
${kills.length} kills in ${Math.round(seconds)} s; ready again in ${Math.round(median(ready))} ms (median), ${Math.round(Math.max(...ready))} ms (slowest)
acknowledged: ${facts.accounts.length} registrations, ${facts.redeems.length} redeems, ${facts.requests.length} settled requests, ${facts.keys.length} keys
${summary.upstreamCalls} calls reached the upstream, ${summary.billed} were charged, ${summary.entries} ledger entries`);
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { kills: { type: 'string', default: '220' }, out: { type: 'string' } },
  });
  if (positionals[0] === 'syncs') return (await countSyncs()) && (await failSyncs()) ? 0 : 1;
  const startedAt = performance.now();
  const tell = ({ kill, readyMs, problems }: KillReport) => {
    for (const problem of problems) console.log(`${kill}: ${problem}`);
    process.stdout.write(problems.length > 0 || readyMs > READY_WITHIN_MS ? '!' : '.');
  };
  const summary = await torture(plan(Math.max(13, Number(values.kills))), tell);
  for (let n = 0; n < FIRST_STARTS; n++) {
    const report = await killFirstStart();
    summary.kills.push(report);
    tell(report);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  print(summary, seconds);
  if (values.out) {
    const figures = { ...summary, facts: undefined, seconds };
    writeFileSync(values.out, JSON.stringify(figures, null, 2));
  }
  const wrong = summary.kills.filter(({ problems }) => problems.length > 0).length;
  const slow = summary.kills.filter(({ readyMs }) => readyMs > READY_WITHIN_MS).length;
  console.log(wrong === 0 ? 'nothing was lost, nothing was charged twice' : `${wrong} kills with problems`);
  if (slow > 0) console.log(`${slow} starts took longer than ${READY_WITHIN_MS} ms: is the machine busy?`);
  return wrong + slow === 0 ? 0 : 1;
}

process.exit(await main());
