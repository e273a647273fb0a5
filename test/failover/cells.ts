// What the bench is made of: every fault for every format and form of clients, in each way to configure a second chance.

import { WIRE_CLIENTS, type WireClient } from '../support/wire-clients.ts';

export const FORMS = ['stream', 'whole'] as const;
export type Form = (typeof FORMS)[number];

/** A second route of the same model on another channel, or a fallback model on another or on the same channel. */
export const SETUPS = ['second_route', 'fallback', 'same_channel'] as const;
export type Setup = (typeof SETUPS)[number];

export interface Cell {
  client: WireClient;
  form: Form;
  setup: Setup;
}

export const CELLS: readonly Cell[] = WIRE_CLIENTS.flatMap((client) =>
  FORMS.flatMap((form) => SETUPS.map((setup) => ({ client, form, setup }))),
);

/** How a cell ends. */
export type Outcome =
  /** The first route served in the end. */
  | 'first'
  /** The other route, or the fallback, served. */
  | 'other'
  /** One of the two served, from its first word to its last. */
  | 'served'
  /** The first began the stream, and another run went on from there. */
  | 'continued'
  /** The stream ends with an error event after a part of the answer. */
  | 'broken'
  /** The answer passes as it came: it is complete and says nothing. */
  | 'empty'
  /** An error in place of an answer. */
  | { status: number; code: string };

export function nameOf({ client, form, setup }: Cell): string {
  return `${client.name}, ${form}, ${setup}`;
}
