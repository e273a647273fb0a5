// Vendors with an API for the remaining prepaid credit, as data: the path below the host of a channel, and how to read the response.
// `source` is the vendor's page about it, read on 2026-11-18. OpenRouter shows the credit of an account only to management keys,
// which cannot call models: what is read there is the rest of the key's own limit.

import { isObject, type Json, type JsonObject, objectsOf } from '../kit/json/json.ts';
import type { QuirksName } from './quirks.ts';

const BALANCE_CURRENCIES = ['USD', 'CNY'] as const;
type BalanceCurrency = (typeof BALANCE_CURRENCIES)[number];

export interface VendorBalance {
  amount: number;
  currency: BalanceCurrency;
}

export interface BalanceCall {
  path: string;
  /** `host`: of the channel. A text says why there is no amount. Undefined if the response has another shape. */
  read(answer: JsonObject, host: string): VendorBalance | string | undefined;
  source: string;
}

export const BALANCE_CALLS: Partial<Record<QuirksName, BalanceCall>> = {
  deepseek: {
    path: '/user/balance',
    read({ balance_infos: infos }) {
      const found = objectsOf(infos).flatMap(({ total_balance: total, currency }) => balanceOf(total, currency) ?? []);
      return found.find(({ amount }) => amount > 0) ?? found[0];
    },
    source: 'https://api-docs.deepseek.com/api/get-user-balance',
  },
  openrouter: {
    path: '/api/v1/key',
    read({ data }) {
      if (!isObject(data)) return undefined;
      if (data.limit_remaining === null) return 'the key has no limit at OpenRouter: set one there';
      return balanceOf(data.limit_remaining, 'USD');
    },
    source: 'https://openrouter.ai/docs/api/api-reference/api-keys/get-current-key',
  },
  moonshot: {
    path: '/v1/users/me/balance',
    // The response does not name the currency. The platform in China uses CNY.
    read: ({ data }, host) =>
      isObject(data) ? balanceOf(data.available_balance, host.endsWith('.cn') ? 'CNY' : 'USD') : undefined,
    source: 'https://platform.moonshot.cn/docs/api/balance',
  },
};

const MICRO = 1_000_000;

function balanceOf(value: Json | undefined, currency: Json | undefined): VendorBalance | undefined {
  const amount = numberOf(value);
  const known = BALANCE_CURRENCIES.find((one) => one === currency);
  return amount === undefined || known === undefined
    ? undefined
    : { amount: Math.round(amount * MICRO) / MICRO, currency: known };
}

function numberOf(value: Json | undefined): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
