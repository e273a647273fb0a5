// Events of a stream without content, only with their kind; and the stream of formats that have none.

import { AssertionFailed } from '../../kit/assert.ts';
import type { StreamEvent, StreamFormat } from '../dialect.ts';

const NOTHING = { name: undefined, document: undefined, segments: [] };

export const BROKEN: StreamEvent = { kind: 'broken', ...NOTHING };
/** The model itself ended without output. */
export const GAVE_UP: StreamEvent = { ...BROKEN, gaveUp: true };
/** Part of the answer that is not shown to the client. */
export const UNSEEN: StreamEvent = { kind: 'output', ...NOTHING };
export const DONE: StreamEvent = { kind: 'done', ...NOTHING };

function refuse(): never {
  throw new AssertionFailed('this format does not stream');
}

/** Asking for one is a bug. */
export const NEVER_STREAMS: StreamFormat = { createReader: refuse, createWriter: refuse };
