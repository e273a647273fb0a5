// What a key can see of itself and its account: balance, allowances and when they reset.

import { moneyFields } from '../kit/money.ts';
import type { Allowance } from '../store/book/windows.ts';
import type { KeyRow } from '../store/rows.ts';
import { type AllowanceTools, readFreeAllowances } from './free-allowances.ts';
import { publicKey } from './public-key.ts';

export async function showAccount(tools: AllowanceTools, key: KeyRow): Promise<Record<string, unknown>> {
  const { limits } = tools.catalog();
  const { minute, day, wallet } = await readFreeAllowances(tools, key.accountId);
  const balance = wallet?.balance ?? 0n;
  const held = wallet?.held ?? 0n;
  return {
    account_id: key.accountId,
    key: publicKey(key),
    ...moneyFields('balance', balance),
    ...moneyFields('held', held),
    ...moneyFields('available', balance - held),
    free: { minute: publicAllowance(minute), day: publicAllowance(day) },
    limits,
  };
}

function publicAllowance({ limit, used, remaining, resetsAt }: Allowance): Record<string, unknown> {
  return { limit, used, remaining, resets_at: new Date(resetsAt).toISOString() };
}
