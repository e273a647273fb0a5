// Events of a stream without content, only with their kind.

import type { StreamEvent } from '../dialect.ts';

const NOTHING = { name: undefined, document: undefined, segments: [] };

export const BROKEN: StreamEvent = { kind: 'broken', ...NOTHING };
/** The model itself ended without output. */
export const GAVE_UP: StreamEvent = { ...BROKEN, gaveUp: true };
/** Part of the answer that is not shown to the client. */
export const UNSEEN: StreamEvent = { kind: 'output', ...NOTHING };
export const DONE: StreamEvent = { kind: 'done', ...NOTHING };
