// A wallet has an upper bound: an amount beyond it is refused before it is tried.

import { MAX_NANO, type Nano } from '../../kit/money.ts';
import { invalid } from './refused.ts';
import type { OperatingTools } from './tools.ts';

/** Refused: invalid. */
export async function refuseFull(
  { store }: Pick<OperatingTools, 'store'>,
  accountId: string,
  amount: Nano,
): Promise<void> {
  const wallet = await store.read.wallet(accountId);
  if (wallet && wallet.balance + amount > MAX_NANO) throw invalid('amount', 'is more than the wallet can hold');
}
