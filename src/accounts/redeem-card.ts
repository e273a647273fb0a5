// Redeems a card. A typo is reported without a database query; all other failures get the same response.

import { z } from 'zod';
import { fault } from '../faults/fault.ts';
import type { Clock } from '../kit/clock.ts';
import type { Idempotency } from '../kit/idempotency.ts';
import { moneyFields } from '../kit/money.ts';
import { named } from '../kit/shapes.ts';
import { limitFault } from '../limits/admission-fault.ts';
import type { Store } from '../store/store.ts';
import { readCardCode } from './card-code.ts';
import { idempotencyHeaders, replayOf } from './replays.ts';

export interface RedeemTools {
  store: Store;
  clock: Clock;
  hashCard(code: string): string;
}

export const cardGiven = named('Card', {
  code: z
    .string('code must be the code on the card, as text.')
    .describe('PC- and 28 characters; case, spaces and dashes do not matter.'),
});

const GUESS_LIMITS = { perTenMinutes: 5, perDay: 20, perAddressHour: 20 };

/** `address` is the keyed hash of the client's address. */
export async function redeemCard(
  tools: RedeemTools,
  accountId: string,
  card: z.output<typeof cardGiven>,
  address: string,
  idempotency: Idempotency | undefined,
) {
  const code = readCardCode(card.code);
  if (code === undefined) throw fault('card_code_malformed', { param: 'code' });
  const at = tools.clock.now();
  const result = await tools.store.commit('redeem', {
    accountId,
    cardHash: tools.hashCard(code),
    address,
    at,
    limits: GUESS_LIMITS,
    replay: replayOf(idempotency),
  });
  if (!result.ok) {
    if (result.reason === 'redeem_rate_limited') throw limitFault(result.reason, result.allowance, at);
    const isReplay = result.reason === 'card_not_redeemable' && result.replayed;
    throw fault(result.reason, isReplay ? { headers: idempotencyHeaders(true) } : undefined);
  }
  return {
    answer: {
      card_serial: result.serial,
      ...moneyFields('amount', result.amount),
      ...moneyFields('credited', result.alreadyRedeemed ? 0n : result.amount),
      ...moneyFields('balance', result.balance),
      already_redeemed: result.alreadyRedeemed,
    },
    isReplay: result.replayed === true,
  };
}
