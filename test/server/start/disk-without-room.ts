// A process of its own for log-lines.test.ts: what it cannot write is tried again for as long as it lives, and a number that
// another file got meanwhile would be written to.

import { openSync } from 'node:fs';
import { createLineWriter } from '../../../src/server/processes/line-writer.ts';

const lines = createLineWriter(openSync('/dev/full', 'w'));
lines.write('one\n');
await lines.end();
lines.flush();
process.exit(0);
