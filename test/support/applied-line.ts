// The line that a revision leaves in the log of actions, for who makes one past the use cases.

import type { Action } from '../../src/store/rows.ts';

export function appliedLine(at: number): Action {
  return { at, actor: 'server', action: 'config.apply', subject: 'catalog', detail: {} };
}
