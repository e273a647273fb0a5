// Records a test run that succeeded: `npm test -- --record`, `npm run test:long -- --record`.

import { recordFigures } from './record-figures.ts';
import { RUNS } from './reliability-promises.ts';

const [name = '', passed, skipped, seconds] = process.argv.slice(2);
const time = { time: `${Math.max(1, Math.round(Number(seconds) / 60))} min` };
const count = (digits: string | undefined) => Number(digits).toLocaleString('en');

if (name === 'suite') {
  recordFigures(name, RUNS.suite, { 'tests passed': count(passed), 'tests skipped': count(skipped), ...time });
} else {
  recordFigures('histories', RUNS.histories, {
    'histories on SQLite': count(process.env.HISTORIES),
    'histories on PostgreSQL': count(process.env.POSTGRES_HISTORIES),
    ...time,
  });
}
