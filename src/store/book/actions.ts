// The log of operators' actions, written in the same operation.

import type { Action } from '../rows.ts';
import type { Book } from './book.ts';

/** For every operation that an operator can request; undefined if another caller did. */
export interface Logged {
  log?: Action | undefined;
}

export function noteAction(book: Book, { log }: Logged): undefined {
  if (log) book.add('actions', log);
}
