// The setting that an account makes for itself: the balance below which it has the event `balance.low`.

import { z } from 'zod';
import { fault } from '../faults/fault.ts';
import type { Clock } from '../kit/clock.ts';
import type { JsonDocument } from '../kit/json/json.ts';
import { openMember } from '../kit/json/raw-json.ts';
import { formatNtd, MAX_NANO, type Nano, nanoOfJson } from '../kit/money.ts';
import type { Store } from '../store/store.ts';
import type { PresentedKey } from './keys/authenticator.ts';
import { requesterOf } from './keys/manage-keys.ts';
import { readShape } from './read-shape.ts';

const PARAM = 'balance_low_ntd';
const AMOUNT = `${PARAM} must be an amount of NT$ from 0 to ${formatNtd(MAX_NANO)} with at most 9 decimals.`;

export const accountFields = z
  .strictObject({
    [PARAM]: z.unknown().meta({
      type: 'number',
      minimum: 0,
      description: 'A charge that brings the balance below it adds the event balance.low; 0: never.',
    }),
  })
  .partial()
  .meta({ id: 'AccountFields' });

export async function changeAccount(
  { store, clock }: { store: Store; clock: Clock },
  key: PresentedKey,
  document: JsonDocument,
): Promise<void> {
  readShape(accountFields, document.value);
  const balanceLow = readAmount(document);
  if (balanceLow === undefined) return;
  const { accountId, by } = requesterOf(key);
  const result = await store.commit('setBalanceLow', { accountId, balanceLow, by, at: clock.now() });
  if (!result.ok) throw fault(result.reason === 'actor_gone' ? 'invalid_api_key' : 'key_not_permitted');
}

/** From its own text, so that every digit is read. */
function readAmount(document: JsonDocument): Nano | undefined {
  if (document.value[PARAM] === undefined) return undefined;
  const nano = nanoOfJson(openMember(document, PARAM)?.text ?? '');
  if (typeof nano === 'bigint' && nano >= 0n) return nano;
  throw fault('invalid_request', { param: PARAM, message: AMOUNT });
}
