// For formats that have no stream: asking them for one is a bug.

import { AssertionFailed } from '../../kit/assert.ts';
import type { Dialect } from '../dialect.ts';

function refuse(): never {
  throw new AssertionFailed('this format does not stream');
}

export const NEVER_STREAMS: Pick<Dialect, 'writePrefill' | 'createStreamReader' | 'createStreamWriter'> = {
  writePrefill: refuse,
  createStreamReader: refuse,
  createStreamWriter: refuse,
};
