// What the simulated service sells: two models on three vendors, a free one, and a rerank model that costs all trial credit.

import { VENDORS } from './vendors.ts';

export const PRICES = { input: 10_000n, output: 40_123n };
/** One call of it costs NT$1, so that an account comes to a balance of zero. */
export const RANKER = 'ranker';
/** What vendors bill. */
export const COSTS = { input: 5_000n, output: 20_000n };
export const LIMITS = {
  ...{ free_per_minute: 2, free_per_day_zero: 3, free_per_day_positive: 5 },
  ...{ paid_per_minute: 16, in_flight: 6 },
};

const MANY = 1_000_000;

/** After the document was applied. */
export const RETIRES_AFTER_MS = 20_000;

/** Whether the edition retires `second`. */
export function isRetiring(edition: number): boolean {
  return edition % 3 === 2;
}

/** Editions differ in which vendor comes first. `retiresAt`: of `second`. */
export function simulatedDocument(edition: number, retiresAt: number | undefined) {
  const turned = VENDORS.map((_, index) => VENDORS[(index + edition) % VENDORS.length]);
  const routes = turned.map((channel) => ({ channel, model: 'simulated', cost: { input: 5, output: 20 } }));
  const ranking = turned.map((channel) => ({ channel, model: 'simulated', cost: { search: 1 } }));
  const price = { input: 10, output: 40.123 };
  const paid = { context_tokens: 128_000, max_output_tokens: 400, price };
  return {
    channels: VENDORS.map((name) => ({
      name,
      kind: 'openai',
      base_url: `https://${name}.example/v1`,
      api_key: `fake-${name}-key`,
    })),
    models: [
      { id: 'auto:free', context_tokens: 128_000, max_output_tokens: 400, price: 'free', routes: routes.slice(0, 2) },
      { id: RANKER, kinds: ['rerank'], price: { search: 1_000 }, routes: ranking },
      { id: 'first', ...paid, routes, fallbacks: ['second'] },
      {
        id: 'second',
        ...paid,
        routes: routes.slice(1),
        ...(retiresAt !== undefined && { retires_at: new Date(retiresAt).toISOString(), replaced_by: 'first' }),
      },
    ],
    limits: { register_per_ip: MANY, register_per_day: MANY, ...LIMITS },
    guards: { register_attempts_per_minute: null },
  };
}
