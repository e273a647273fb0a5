// The account as a key sees it (balance, budgets, allowances and their resets), and the setting that it makes for itself: the
// balance below which it has the event `balance.low`.

import { z } from 'zod';
import type { Catalog } from '../catalog/catalog.ts';
import { fault } from '../faults/fault.ts';
import { MINUTE_MS } from '../kit/clock.ts';
import type { JsonDocument } from '../kit/json/json.ts';
import { openMember } from '../kit/json/raw-json.ts';
import { formatNtd, MAX_NANO, moneyFields, type Nano, nanoOfJson } from '../kit/money.ts';
import { requestWindow } from '../store/book/admit.ts';
import { type Allowance, dayAllowance, EMPTY_WINDOW, rollingAllowance, tighterOf } from '../store/book/windows.ts';
import type { PresentedKey } from './keys/authenticator.ts';
import { type KeySpending, publicSpending, readSpending, tightestOf } from './keys/key-spending.ts';
import { type KeyTools, requesterOf } from './keys/manage-keys.ts';
import { publicKey } from './keys/public-key.ts';
import { readShape } from './read-shape.ts';

type AllowanceTools = Pick<KeyTools, 'store' | 'clock' | 'catalog'>;

/** The rest of its free calls, in both windows; `tighter` is the one closer to its limit, which the headers report. */
export async function readFreeAllowances(tools: AllowanceTools, accountId: string) {
  const { limits } = tools.catalog();
  const [wallet, window = EMPTY_WINDOW] = await Promise.all([
    tools.store.read.wallet(accountId),
    tools.store.read.window(requestWindow(accountId, true)),
  ]);
  const now = tools.clock.now();
  const perDay = (wallet?.balance ?? 0n) > 0n ? limits.free_per_day_positive : limits.free_per_day_zero;
  const minute = rollingAllowance(window, now, MINUTE_MS, limits.free_per_minute);
  const day = dayAllowance(window, now, perDay);
  return { minute, day, tighter: tighterOf(minute, day), wallet };
}

export async function showAccount(tools: AllowanceTools, key: PresentedKey) {
  const [{ minute, day, wallet }, shownKey] = await Promise.all([
    readFreeAllowances(tools, key.accountId),
    showOwnKey(tools, key),
  ]);
  const balance = wallet?.balance ?? 0n;
  const held = wallet?.held ?? 0n;
  return {
    account_id: key.accountId,
    key: shownKey,
    ...moneyFields('balance', balance),
    ...moneyFields('held', held),
    ...moneyFields('available', balance - held),
    ...moneyFields('balance_low', wallet?.balanceLow ?? 0n),
    free: { minute: publicAllowance(minute), day: publicAllowance(day) },
    limits: publicLimits(tools.catalog()),
  };
}

/** The limits of every account. */
export function publicLimits({ limits, guards }: Catalog) {
  return { ...limits, free_in_flight: guards.free_in_flight };
}

/** Shows only the remaining amounts of its ancestors, and none of their names. */
async function showOwnKey(tools: AllowanceTools, key: PresentedKey) {
  const spendingOf = await readSpending(tools, [key, ...key.ancestors]);
  const own = spendingOf(key);
  const tightest = tightestOf(key.ancestors.map(spendingOf));
  return {
    ...publicKey(key),
    ...publicSpending(own),
    ...dayFields(own),
    ancestors_left: tightest
      ? {
          budget: tightest.budget,
          ...moneyFields('left', tightest.left),
          resets_at: tightest.resetsAt === null ? null : new Date(tightest.resetsAt).toISOString(),
        }
      : null,
  };
}

/** Other names of the daily figures, for a key with a daily budget. */
function dayFields({ day, held }: KeySpending) {
  if (day.left === null) return {};
  return {
    ...moneyFields('daily_spent', day.spent),
    ...moneyFields('daily_held', held),
    ...moneyFields('daily_left', day.left),
    daily_resets_at: new Date(day.resetsAt).toISOString(),
  };
}

function publicAllowance({ limit, used, remaining, resetsAt }: Allowance) {
  return { limit, used, remaining, resets_at: new Date(resetsAt).toISOString() };
}

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
  { store, clock }: Pick<KeyTools, 'store' | 'clock'>,
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
