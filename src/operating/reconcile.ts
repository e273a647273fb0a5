// An upstream's bill held against our own usage records, by model and by day or month.

import type { Nano } from '../kit/money.ts';
import type { OperatingTools } from './tools.ts';

export interface BillSide {
  inputTokens: number;
  outputTokens: number;
  /** NT$ by the costs of the routes on our side; as the bill says on the other. Null where nothing is known. */
  amount: Nano | null;
}

export interface BillRow {
  /** The model's name at the upstream. */
  model: string;
  /** 2026-11-15 or 2026-11, as the bill counts. */
  period: string;
  bill: BillSide | undefined;
  ours: (BillSide & { requests: number; revenue: Nano }) | undefined;
  /** Bill less ours. */
  difference: { inputTokens: number; outputTokens: number; amount: Nano | null };
  agrees: boolean;
}

export interface Reconciled {
  channel: string;
  rows: BillRow[];
  totals: { bill: BillSide; ours: BillSide & { requests: number; revenue: Nano } };
  faults: { path: string; message: string }[];
}

/** CSV with a header: model, date or month, input_tokens, output_tokens, amount. `rate`: NT$ for one unit of the bill's currency. */
export function reconcile(
  tools: OperatingTools,
  channel: string,
  csv: string,
  options?: { rate?: string | undefined },
): Promise<Reconciled> {
  throw new Error('not yet');
}
