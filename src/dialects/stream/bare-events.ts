// Events of a stream without content, only with their kind.

import type { StreamEvent } from '../dialect.ts';

const NOTHING = { name: undefined, document: undefined, segments: [] };

export const BROKEN: StreamEvent = { kind: 'broken', ...NOTHING };
/** The model itself ended without output. */
export const GAVE_UP: StreamEvent = { ...BROKEN, gaveUp: true };
/** Of the answer, and not for the client. */
export const UNSEEN: StreamEvent = { kind: 'output', ...NOTHING };
export const DONE: StreamEvent = { kind: 'done', ...NOTHING };
