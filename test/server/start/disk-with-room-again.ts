// Lines for a full disk that gets room: the descriptor they go to is closed and comes back as that of the file named. In a
// process of its own, where nobody else may be given its number in between.

import { strictEqual } from 'node:assert';
import { closeSync, openSync } from 'node:fs';
import { createLineWriter } from '../../../src/server/processes/line-writer.ts';

const [, , file = ''] = process.argv;
const full = openSync('/dev/full', 'w');
const lines = createLineWriter(full);
lines.write('one\n');
await Bun.sleep(50);
lines.write('two\n');
closeSync(full);
// The lowest free number is the one that was closed.
strictEqual(openSync(file, 'w'), full);
