// What a key can see of itself and its account: balance, allowances and when they reset.

import type { Catalog } from '../catalog/catalog.ts';
import type { Clock } from '../kit/clock.ts';
import { moneyFields } from '../kit/money.ts';
import { MINUTE_MS, requestWindow } from '../store/book/admit.ts';
import { type Allowance, dayAllowance, EMPTY_WINDOW, rollingAllowance } from '../store/book/windows.ts';
import type { KeyRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

export interface ShowTools {
  store: Store;
  clock: Clock;
  catalog(): Catalog;
}

export async function showAccount(tools: ShowTools, key: KeyRow): Promise<Record<string, unknown>> {
  const { limits } = tools.catalog();
  const [wallet, freeWindow] = await Promise.all([
    tools.store.read.wallet(key.accountId),
    tools.store.read.window(requestWindow(key.accountId, true)),
  ]);
  const balance = wallet?.balance ?? 0n;
  const held = wallet?.held ?? 0n;
  const window = freeWindow ?? EMPTY_WINDOW;
  const now = tools.clock.now();
  const perDay = balance > 0n ? limits.free_per_day_positive : limits.free_per_day_zero;
  return {
    account_id: key.accountId,
    key: publicKey(key),
    ...moneyFields('balance', balance),
    ...moneyFields('held', held),
    ...moneyFields('available', balance - held),
    free: {
      minute: publicAllowance(rollingAllowance(window, now, MINUTE_MS, limits.free_per_minute)),
      day: publicAllowance(dayAllowance(window, now, perDay)),
    },
    limits,
  };
}

function publicKey(key: KeyRow): Record<string, unknown> {
  return {
    id: key.keyId,
    name: key.name,
    last4: key.last4,
    manage: key.manage,
    models: key.models,
    ...(key.dailyBudget === null
      ? { daily_budget_ntd: null, daily_budget_nano: null }
      : moneyFields('daily_budget', key.dailyBudget)),
    expires_at: key.expiresAt === null ? null : new Date(key.expiresAt).toISOString(),
  };
}

function publicAllowance({ limit, used, remaining, resetsAt }: Allowance): Record<string, unknown> {
  return { limit, used, remaining, resets_at: new Date(resetsAt).toISOString() };
}
