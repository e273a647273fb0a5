// The rest of an account's free calls, in both windows.

import type { Catalog } from '../catalog/catalog.ts';
import { type Clock, MINUTE_MS } from '../kit/clock.ts';
import { requestWindow } from '../store/book/admit.ts';
import { type Allowance, dayAllowance, EMPTY_WINDOW, rollingAllowance, tighterOf } from '../store/book/windows.ts';
import type { Wallet } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

export interface AllowanceTools {
  store: Store;
  clock: Clock;
  catalog(): Catalog;
}

interface FreeAllowances {
  minute: Allowance;
  day: Allowance;
  /** The one closer to its limit, which the headers report. */
  tighter: Allowance;
  wallet: Wallet | undefined;
}

export async function readFreeAllowances(tools: AllowanceTools, accountId: string): Promise<FreeAllowances> {
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
