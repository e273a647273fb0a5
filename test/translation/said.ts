// What a model says, in no dialect, and how each kind of upstream says it: as a whole and as the events of a stream.

import type { Ending } from '../support/grammar/told.ts';

export interface SaidCall {
  id?: string;
  name: string;
  /** The JSON text in the pieces it is streamed in. */
  arguments: readonly string[];
  /** What a Gemini model wants back with the call. */
  signature?: string;
}

export interface Said {
  reasoning?: readonly string[];
  /** Of the reasoning, where the upstream signs it. */
  signature?: string;
  /** The reasoning as a router tells it besides, in the pieces of a stream and as a whole. */
  details?: { pieces: readonly unknown[]; whole: readonly unknown[] };
  text?: readonly string[];
  /** What Gemini would like back with the text. */
  textSignature?: string;
  calls?: readonly SaidCall[];
  /** `end`, or `tool` where there are calls, unless said otherwise. */
  ends?: Ending;
  /** In the upstream's own words; `null`: none. */
  usage?: Readonly<Record<string, unknown>> | null;
}

export interface Reply {
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** A JSON body; text is sent as it is. */
  whole?: unknown;
  /** Events of the upstream's dialect; text is sent as it is. */
  stream?: readonly unknown[];
}

export const PLAIN: Said = { text: ['Hello', ' there'] };

export function endingOf({ ends, calls = [] }: Said): Ending {
  return ends ?? (calls.length > 0 ? 'tool' : 'end');
}
