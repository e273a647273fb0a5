// For formats that have no stream: asking them for one is a bug.

import { AssertionFailed } from '../../kit/assert.ts';
import type { StreamFormat } from '../dialect.ts';

function refuse(): never {
  throw new AssertionFailed('this format does not stream');
}

export const NEVER_STREAMS: StreamFormat = {
  createReader: refuse,
  createWriter: refuse,
};
