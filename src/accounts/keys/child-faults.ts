// Why a key cannot be made or changed because of the others: how many there are, or what its ancestors allow.

import { type Fault, fault } from '../../faults/fault.ts';
import { assert } from '../../kit/assert.ts';
import { MAX_DEPTH } from '../../store/key-chain.ts';
import type { ChildField, ChildRefusal, KeysMadeRefusal, TooManyKeys } from '../../store/operations.ts';
import type { KeyRow } from '../../store/rows.ts';
import { limitOf, limitParam, limitText } from './limit-fields.ts';

type ChildReason = Exclude<ChildRefusal['reason'], 'exceeds_ancestor'>;

const TEXTS: Readonly<Record<ChildReason, readonly [param: string, message: string]>> = {
  parent_gone: ['parent_id', 'This account has no live key with this parent_id. Use an id from GET /api/keys.'],
  parent_not_delegating: [
    'parent_id',
    'This key, or a key above it, may not delegate. Set delegate to true there first, or use another parent_id.',
  ],
  too_deep: [
    'parent_id',
    `The parent is at depth ${MAX_DEPTH}, and no key can be deeper. Use a parent that is higher in the tree.`,
  ],
  child_needs_budget: [
    'budgets',
    'A key with a parent needs at least one budget. Set budgets.day_ntd, month_ntd, total_ntd or session_ntd.',
  ],
};

function refused(param: string, message: string): Fault {
  return fault('invalid_request', { param, message });
}

export function childFault(reason: ChildReason): Fault {
  return refused(...TEXTS[reason]);
}

export function impliedParent(): Fault {
  return refused('parent_id', 'A delegating key is itself the parent of the keys it makes. Leave parent_id out.');
}

export function tooManyKeys({ keyId, limit, used }: TooManyKeys): Fault {
  const cause = keyId === null ? `This account has ${used} keys` : `There are ${used} keys below ${keyId}`;
  const most = keyId === null ? 'an account can have' : 'a key can have below itself, at all depths together';
  return fault('invalid_request', {
    param: keyId === null ? undefined : 'parent_id',
    message: `${cause}, and ${limit} is the most that ${most}. Delete one first.`,
    figures: { limit, used },
    actions: [{ method: 'GET', path: '/api/keys', why: 'lists the keys; DELETE /api/keys/{id} deletes one' }],
  });
}

export function tooManyToday({ allowance: { limit, used, resetsAt } }: KeysMadeRefusal, now: number): Fault {
  return fault('rate_limited', {
    message: `${used} keys were made today, and ${limit} is the most in a day of Taipei; keys below others count apart. Retry after midnight in Taipei, or change a key that exists.`,
    figures: { limit, used, resets_at: new Date(resetsAt).toISOString() },
    retryAfterS: (resetsAt - now) / 1000,
  });
}

export function exceedsAncestor(field: ChildField, ancestor: KeyRow): Fault {
  const above = `the key ${ancestor.keyId} above`;
  switch (field) {
    case 'models': {
      const allowed = (ancestor.models ?? []).join(', ');
      return refused(
        'models',
        `models has a model that ${above} does not allow. Choose from the models of that key: ${allowed}.`,
      );
    }
    case 'expiresAt': {
      const latest = new Date(ancestor.expiresAt ?? 0).toISOString();
      return refused('expires_at', `expires_at is later than that of ${above}. Set it to ${latest} or earlier.`);
    }
    case 'delegate':
      return refused('delegate', `delegate cannot be true: ${above} may not delegate. Set it to false.`);
    default: {
      const limit = field === 'dailyBudget' ? 'dayBudget' : field;
      const value = limitOf(ancestor, limit);
      assert(value !== null, 'an ancestor without the limit does not refuse');
      const param = limitParam(limit);
      return refused(param, `${param} is higher than that of ${above}. Set it to at most ${limitText(value)}.`);
    }
  }
}
