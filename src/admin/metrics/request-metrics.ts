// What calls come to: how many ended how, how long they took, what they used and brought.

import { ntdNumber } from '../../kit/money.ts';
import type { RelayMeter } from '../../relay/meter.ts';
import type { Buckets } from '../../store/rows.ts';
import type { Metrics } from './metrics.ts';

const SECONDS = [0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 7.5, 10, 15, 30, 60, 120, 300, 600];
const TOKEN_BUCKETS = {
  input: 'input',
  cachedInput: 'cached_input',
  cacheWrite5m: 'cache_write_5m',
  cacheWrite1h: 'cache_write_1h',
  output: 'output',
} as const satisfies Partial<Record<keyof Buckets, string>>;
const TOKENS = Object.entries(TOKEN_BUCKETS) as [keyof typeof TOKEN_BUCKETS, string][];
/** Where no channel answered. */
const NONE = 'none';

export function countRequests(metrics: Metrics): RelayMeter {
  const requests = metrics.counter({
    name: 'gateway_requests_total',
    help: 'Admitted model calls that are over, by how they ended; refused ones are in gateway_faults_total.',
    labels: ['endpoint', 'model', 'channel', 'outcome'],
  });
  const firstToken = metrics.histogram({
    name: 'gateway_first_token_seconds',
    help: 'Streams: from the start of the try that served to its first text, reasoning or tool call.',
    labels: ['model', 'channel'],
    bounds: SECONDS,
  });
  const total = metrics.histogram({
    name: 'gateway_request_seconds',
    help: 'Calls that ended well: from the start of the try that served to the end.',
    labels: ['model', 'channel'],
    bounds: SECONDS,
  });
  const tokens = metrics.counter({
    name: 'gateway_tokens_total',
    help: 'Tokens that were billed or given for free, by bucket. Reasoning is part of output.',
    labels: ['model', 'bucket'],
  });
  const images = metrics.counter({ name: 'gateway_images_total', help: 'Images returned.', labels: ['model'] });
  const charged = metrics.counter({
    name: 'gateway_charged_ntd_total',
    help: 'NT$ taken from wallets for usage. The ledger is exact, this is a floating-point sum.',
    labels: ['model'],
  });
  const attempts = metrics.counter({
    name: 'gateway_upstream_attempts_total',
    help: 'Tries on channels, by what came of them in the end; told when their call is over.',
    labels: ['channel', 'outcome'],
  });
  const opened = { stream: 0, whole: 0 };
  metrics.read(
    {
      name: 'gateway_requests_open',
      help: 'Admitted model calls that are not over, streams and whole answers.',
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
      const asked = call.model.id;
      const { status, channel, buckets } = outcome;
      const served = outcome.model ?? asked;
      requests.of(call.endpoint, asked, channel ?? NONE, status).add();
      for (const one of outcome.attempts) attempts.of(one.channel, one.outcome).add();
      if (!serving) return;
      const { firstTokenMs, totalMs } = serving;
      if (firstTokenMs !== null) firstToken.of(asked, serving.channel).observe(firstTokenMs / 1000);
      if (status === 'ok') total.of(asked, serving.channel).observe(totalMs / 1000);
      for (const [bucket, name] of TOKENS) if (buckets[bucket] > 0) tokens.of(served, name).add(buckets[bucket]);
      if (buckets.images > 0) images.of(served).add(buckets.images);
      if (cost > 0n) charged.of(served).add(ntdNumber(cost));
    },
  };
}
