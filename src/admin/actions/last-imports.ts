// With which rate and mark-up the price list of each channel was last imported, from the log of actions.

import { parseNtd } from '../../kit/money.ts';
import { listActions } from './audit-log.ts';
import type { StoreTools } from './tools.ts';

/** The action of an applied import in the log. */
export const PRICES_IMPORT = 'prices.import';

export interface LastImport {
  at: number;
  rate: string;
  markup: string;
  setCost: boolean;
}

/** The settings of an import that the log keeps; values that are no numbers are omitted. */
export function importDetail({ channel, rate, markup, setCost }: Omit<LastImport, 'at'> & { channel: string }) {
  if (!isFactor(rate) || !isFactor(markup)) return {};
  return { ...(channel === '' ? {} : { channel }), rate, markup, set_cost: setCost };
}

/** Older imports are forgotten. */
const READ = 500;

/** By channel; an empty name is the import for every channel. */
export async function lastImports(tools: StoreTools): Promise<Map<string, LastImport>> {
  const actions = await listActions(tools, READ, { action: PRICES_IMPORT });
  const imports = new Map<string, LastImport>();
  for (const { at, detail } of actions) {
    const { channel = '', rate, markup, set_cost: setCost } = detail;
    if (typeof channel !== 'string' || imports.has(channel) || !isFactor(rate) || !isFactor(markup)) continue;
    imports.set(channel, { at, rate, markup, setCost: setCost === true });
  }
  return imports;
}

function isFactor(value: unknown): value is string {
  return typeof value === 'string' && parseNtd(value) !== undefined;
}
