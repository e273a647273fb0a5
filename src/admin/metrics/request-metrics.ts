// Metrics of what was asked for: outcomes of model calls, times, usage, revenue and losses; faults and refusals; and what
// customers prepaid, over all nodes.

import { FAULT_REASONS, type FaultLabel } from '../../faults/fault.ts';
import { FAULT_CODES, faultRow } from '../../faults/table.ts';
import { type Clock, MINUTE_MS } from '../../kit/clock.ts';
import { keepFor } from '../../kit/keep-for.ts';
import { ntdNumber } from '../../kit/money.ts';
import type { LossMeter } from '../../ledger/ledger.ts';
import type { Refusal } from '../../limits/refusal-log.ts';
import type { RelayMeter } from '../../relay/meter.ts';
import type { Buckets } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { type PrepaidAmounts, readPrepaidAmounts } from '../actions/profit.ts';
import type { Counter, Metrics, Reading } from './metrics.ts';

const SECONDS = [0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 7.5, 10, 15, 30, 60, 120, 300, 600];
const TOKENS = [
  ['input', 'input'],
  ['cachedInput', 'cached_input'],
  ['cacheWrite5m', 'cache_write_5m'],
  ['cacheWrite1h', 'cache_write_1h'],
  ['output', 'output'],
] as const satisfies [keyof Buckets, string][];
const UNITS = [
  ['seconds', 'second'],
  ['characters', 'character'],
  ['searches', 'search'],
] as const satisfies [keyof Buckets, string][];
/** In place of a channel or a model that is not known. */
const NONE = 'none';

export function countRequests(metrics: Metrics): RelayMeter {
  const requests = metrics.counter({
    name: 'gateway_requests_total',
    help: 'Finished admitted model calls, by outcome; refused ones are in gateway_faults_total.',
    labels: ['endpoint', 'model', 'channel', 'outcome'],
  });
  const firstToken = metrics.histogram({
    name: 'gateway_first_token_seconds',
    help: 'Streams: from the start of the successful attempt to its first text, reasoning or tool call.',
    labels: ['model', 'channel'],
    bounds: SECONDS,
  });
  const total = metrics.histogram({
    name: 'gateway_request_seconds',
    help: 'Successful calls: from the start of the successful attempt to the end.',
    labels: ['model', 'channel'],
    bounds: SECONDS,
  });
  const tokens = metrics.counter({
    name: 'gateway_tokens_total',
    help: 'Tokens that were billed or given for free, by bucket. Reasoning is part of output.',
    labels: ['model', 'bucket'],
  });
  const images = metrics.counter({ name: 'gateway_images_total', help: 'Images returned.', labels: ['model'] });
  const units = metrics.counter({
    name: 'gateway_units_total',
    help: 'What else was billed or given for free: seconds of audio, characters of speech, searches of a rerank.',
    labels: ['model', 'unit'],
  });
  const charged = metrics.counter({
    name: 'gateway_charged_ntd_total',
    help: 'NT$ taken from wallets for usage. The ledger is exact, this is a floating-point sum.',
    labels: ['model', 'channel'],
  });
  const upstreamCost = metrics.counter({
    name: 'gateway_upstream_cost_ntd_total',
    help: 'NT$ that upstreams bill for what customers pay, by the costs of routes; losses are not in it. Usage records are exact.',
    labels: ['model', 'channel'],
  });
  const unknownCost = metrics.counter({
    name: 'gateway_unknown_cost_ntd_total',
    help: 'The part of gateway_charged_ntd_total whose upstream cost is unknown, because the route states none.',
    labels: ['model', 'channel'],
  });
  const attempts = metrics.counter({
    name: 'gateway_upstream_attempts_total',
    help: 'Attempts on channels, by outcome; counted when their call ends.',
    labels: ['channel', 'outcome'],
  });
  const opened = { stream: 0, whole: 0 };
  metrics.read(
    {
      name: 'gateway_requests_open',
      help: 'Running admitted model calls, streamed or not.',
      type: 'gauge',
      labels: ['kind'],
    },
    () => [
      [opened.stream, 'stream'],
      [opened.whole, 'whole'],
    ],
  );

  return {
    opened: ({ request }) => void opened[request.stream ? 'stream' : 'whole']++,
    over: ({ request }) => void opened[request.stream ? 'stream' : 'whole']--,
    closed(call, outcome, cost, serving) {
      const requested = call.model.id;
      const { status, channel, buckets } = outcome;
      const served = outcome.model ?? requested;
      requests.of(call.endpoint, requested, channel ?? NONE, status).add();
      for (const attempt of outcome.attempts) attempts.of(attempt.channel, attempt.outcome).add();
      if (!serving) return;
      const { firstTokenMs, totalMs } = serving;
      if (firstTokenMs !== null) firstToken.of(requested, serving.channel).observe(firstTokenMs / 1000);
      if (status === 'ok') total.of(requested, serving.channel).observe(totalMs / 1000);
      for (const [bucket, name] of TOKENS) if (buckets[bucket] > 0) tokens.of(served, name).add(buckets[bucket]);
      if (buckets.images > 0) images.of(served).add(buckets.images);
      for (const [bucket, name] of UNITS) if (buckets[bucket] > 0) units.of(served, name).add(buckets[bucket]);
      const labels = [served, channel ?? NONE] as const;
      const { upstreamCost: billed } = outcome;
      if (cost > 0n) charged.of(...labels).add(ntdNumber(cost));
      if (billed) upstreamCost.of(...labels).add(ntdNumber(billed));
      if (cost > 0n && typeof billed !== 'bigint') unknownCost.of(...labels).add(ntdNumber(cost));
    },
  };
}

/** Statuses for limits and missing balance. */
const LIMIT_STATUS: ReadonlySet<number> = new Set([402, 429]);

export function countFaults(metrics: Metrics): (label: FaultLabel) => void {
  const faults = metrics.counter({
    name: 'gateway_faults_total',
    help: 'Responses of the public port with a fault; a fault inside a started stream counts as the outcome of its request.',
    labels: ['code'],
  });
  const limits = metrics.counter({
    name: 'gateway_limits_hit_total',
    help: 'Faults that report a limit or a missing balance.',
    labels: ['code'],
  });
  const counters = new Map<FaultLabel, readonly Counter[]>([
    ...FAULT_CODES.map((code): [FaultLabel, Counter[]] => [
      code,
      [faults.of(code), ...(LIMIT_STATUS.has(faultRow(code).status) ? [limits.of(code)] : [])],
    ]),
    ...FAULT_REASONS.map((reason): [FaultLabel, Counter[]] => [reason, [faults.of(reason)]]),
  ]);
  return (label) => {
    for (const counter of counters.get(label) ?? []) counter.add();
  };
}

export function countLosses(metrics: Metrics): LossMeter {
  const losses = metrics.counter({
    name: 'gateway_losses_ntd_total',
    help: 'NT$ that upstreams bill and no customer pays. The ledger is exact, this is a floating-point sum.',
    labels: ['reason', 'model', 'channel'],
  });
  const charged = metrics
    .counter({
      name: 'gateway_loss_guard_total',
      help: 'Requests whose losses were charged, because the account had reached guards.loss_per_account_day.',
      labels: [],
    })
    .of();
  return {
    booked({ reason, model, channel, amount }) {
      if (amount > 0n) losses.of(reason, model, channel ?? NONE).add(ntdNumber(amount));
    },
    charged: () => charged.add(),
  };
}

const PARTS = ['sold', 'redeemed', 'unredeemed', 'unspent', 'owed'] as const satisfies (keyof PrepaidAmounts)[];

/** Cards and wallets are summed up at most once a minute, however often metrics are collected. */
export function readCards(metrics: Metrics, { store, clock }: { store: Pick<Store, 'read'>; clock: Clock }): void {
  const sums = keepFor(clock, MINUTE_MS, () => readPrepaidAmounts(store));
  metrics.read(
    {
      type: 'gauge',
      name: 'gateway_cards_ntd',
      help: 'NT$ paid in advance, of all nodes together: cards sold and redeemed, and what customers may still use.',
      labels: ['part'],
    },
    async () => {
      const paid = await sums();
      return PARTS.map((part): Reading => [ntdNumber(paid[part]), part]);
    },
  );
}

export function countRefusals(metrics: Metrics): (refusal: Pick<Refusal, 'code' | 'model'>) => void {
  const refusals = metrics.counter({
    name: 'gateway_refusals_total',
    help: 'Requests that were refused before they were admitted, by code and model; failures of the gateway are not in it.',
    labels: ['code', 'model'],
  });
  return ({ code, model }) => refusals.of(code, model ?? NONE).add();
}
