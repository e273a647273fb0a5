// `npm run soak`: the gateway with everything on for some minutes, in which months pass on its clock. Fails if memory,
// descriptors, timers, CPU or answer times grow in the second half, if a row is kept for too long, or if a client got an answer
// that it should not have got. Options: --minutes N, --database sqlite|postgres, --record.

import { parseArgs } from 'node:util';
import { type Sample, type SoakReport, soak } from '../test/soak/soak.ts';
import { type Finding, judge, p99 } from '../test/soak/verdict.ts';
import { recordFigures } from './record-figures.ts';

/** Enough for a line in the second half, and for everything that is kept for 30 days to have been deleted before it. */
const ROUNDS = 20;
const DAYS = 4;
const REST_MEASURES = 5;
const SHOWN_PROBLEMS = 20;

const FIGURE_NAMES: Readonly<Record<Finding['name'], string>> = {
  residentMb: 'resident memory',
  heapMb: 'heap',
  objects: 'objects',
  descriptors: 'open descriptors',
  sockets: 'open sockets',
  timers: 'timers',
  cpuMsPerAction: 'CPU per action',
  p99Ms: 'p99 of paid calls, first → second half',
};

const rounded = (value: number) => value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 1 : 0 });
const mb = (value: number | undefined) => `${Math.round(value ?? 0)} MB`;

function printSample(sample: Sample, round: number): void {
  const { calls, times, cpuMsPerAction, residentMb, heapMb, descriptors, sockets, timers, wrong } = sample;
  console.log(
    `${String(round + 1).padStart(2)}: ${calls} actions, p99 ${rounded(p99(times))} ms, ${rounded(cpuMsPerAction)} ms CPU each; ${mb(residentMb)} resident, ${mb(heapMb)} heap; ` +
      `${descriptors} descriptors, ${sockets} sockets, ${timers} timers; ${wrong.length} wrong`,
  );
}

function printFindings(findings: readonly Finding[]): void {
  console.log(
    `\n${'measured at rest'.padEnd(28)}${['first', 'last', 'growth', 'allowed'].map((name) => name.padStart(12)).join('')}`,
  );
  for (const { name, first, last, growth, limit, isGrowing } of findings) {
    const cells = [first, last, growth, limit].map((value) => rounded(value).padStart(12)).join('');
    console.log(`${name.padEnd(28)}${cells}${isGrowing ? '  GROWS' : ''}`);
  }
}

/** Such as `23 → 24 (+1 ≤ 2)`: the growth and how much is allowed. */
function shown({ name, first, last, growth, limit, isGrowing }: Finding): string {
  const sign = growth < 0 ? '−' : '+';
  const unit = name.endsWith('Mb') ? ' MB' : name === 'p99Ms' || name === 'cpuMsPerAction' ? ' ms' : '';
  const change = `${sign}${rounded(Math.abs(growth))} ${isGrowing ? '>' : '≤'} ${rounded(limit)}${unit}`;
  return `${rounded(first)} → ${rounded(last)}${unit} (${change})`;
}

function printRows(samples: readonly Sample[]): void {
  console.log(
    `\n${'rows of'.padEnd(28)}${['first', 'last', 'most', 'too old'].map((name) => name.padStart(12)).join('')}`,
  );
  for (const table of samples[0]?.rows.keys() ?? []) {
    const counts = samples.map(({ rows }) => rows.get(table) ?? { rows: 0, stale: 0 });
    const of = counts.map(({ rows }) => rows);
    const cells = [of[0] ?? 0, of.at(-1) ?? 0, Math.max(...of), Math.max(...counts.map(({ stale }) => stale))];
    console.log(`${table.padEnd(28)}${cells.map((value) => rounded(value).padStart(12)).join('')}`);
  }
}

/** Answers, rows and sums that are wrong whatever grows. */
function findProblems({ samples, auditProblems }: SoakReport): string[] {
  return [
    ...samples.flatMap(({ wrong }) => wrong),
    ...samples.flatMap(({ rows }, round) =>
      [...rows]
        .filter(([, { stale }]) => stale > 0)
        .map(([table, { stale }]) => `round ${round + 1}: ${stale} rows of ${table} should have been deleted`),
    ),
    ...auditProblems.map((problem) => `ledger: ${problem}`),
  ];
}

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    database: { type: 'string', default: 'sqlite' },
    record: { type: 'boolean', default: false },
  },
});
const { database } = values;
if (database !== 'sqlite' && database !== 'postgres') throw new Error('--database accepts sqlite and postgres');
if (process.platform !== 'linux') throw new Error('the soak reads /proc, which only Linux has');

const roundMs = (Number(values.minutes) * 60_000) / ROUNDS;
const report = await soak({
  database,
  rounds: ROUNDS,
  roundMs,
  days: DAYS,
  restMeasures: REST_MEASURES,
  onSample: printSample,
});
const findings = judge(report.samples);
printFindings(findings);
printRows(report.samples);
const problems = findProblems(report);
for (const problem of problems.slice(0, SHOWN_PROBLEMS)) console.log(problem);
const growing = findings.filter(({ isGrowing }) => isGrowing);
const actions = [...report.done.values()].reduce((sum, count) => sum + count, 0);
console.log(
  `\n${rounded(actions)} actions, ${ROUNDS * DAYS} days on the gateway’s clock: ` +
    `${growing.length} figures grow, ${problems.length} problems`,
);
if (values.record) {
  recordFigures('soak', `npm run soak -- --minutes ${values.minutes} --database ${database}`, {
    'actions of clients': rounded(actions),
    'days on the gateway’s clock': String(ROUNDS * DAYS),
    ...Object.fromEntries(findings.map((finding) => [FIGURE_NAMES[finding.name], shown(finding)])),
    'size of the embedded database at the end': mb(report.samples.at(-1)?.databaseMb),
    'rows that should have been deleted': String(
      report.samples.reduce((sum, { rows }) => sum + [...rows.values()].reduce((all, { stale }) => all + stale, 0), 0),
    ),
    'wrong answers': String(report.samples.reduce((sum, { wrong }) => sum + wrong.length, 0)),
    'ledger differences': String(report.auditProblems.length),
  });
}
process.exit(growing.length + problems.length === 0 ? 0 : 1);
