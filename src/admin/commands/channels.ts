// channels list, test: how each channel has been doing, and one real call to it.

import type { Catalog, Channel, Route } from '../../catalog/catalog.ts';
import { readFailure } from '../../channels/read-failure.ts';
import { HOUR_MS, percentileOf } from '../../channels/traffic.ts';
import type { UpstreamEndpoint } from '../../channels/upstream.ts';
import { sleep } from '../../kit/clock.ts';
import type { TrafficHour } from '../../store/rows.ts';
import { type Command, type CommandTools, noArguments, oneArgument, Refused } from '../command.ts';
import { printTable } from '../print-table.ts';

const HOURS_SHOWN = 24;
const TEST_TIMEOUT_MS = 60_000;

export const channelCommands: readonly Command[] = [
  {
    words: 'channels list',
    takes: '',
    about: 'every channel and model with its traffic of the last 24 hours',
    options: [],
    async run({ args, open }) {
      noArguments(args);
      const tools = await open();
      const catalog = await tools.catalog();
      const hours = await tools.store.read.trafficSince(Math.floor(tools.clock.now() / HOUR_MS) - HOURS_SHOWN + 1);
      const facts = listRoutes(catalog, hours);
      return {
        facts,
        text: printTable(
          ['channel', 'kind', 'model', 'requests', 'success', 'first token p50'],
          facts.map((row) => [
            row.channel,
            row.kind,
            row.model,
            String(row.requests),
            row.success_rate === null ? '-' : `${(row.success_rate * 100).toFixed(1)}%`,
            row.first_token_ms_p50 === null ? '-' : `${row.first_token_ms_p50} ms`,
          ]),
        ),
      };
    },
  },
  {
    words: 'channels test',
    takes: 'NAME',
    about: 'one small real call to a channel',
    options: [],
    async run({ args, open }) {
      const name = oneArgument(args, 'NAME');
      const tools = await open();
      const catalog = await tools.catalog();
      const channel = catalog.channels.get(name);
      if (!channel)
        throw new Refused(`there is no channel ${name}; there are: ${[...catalog.channels.keys()].join(', ')}`);
      const result = await testChannel(tools, channel, findRoute(catalog, channel));
      if (!result.ok) throw new Refused(`${name} failed after ${result.ms} ms: ${result.detail}`, result);
      return { facts: result, text: `${name} answered in ${result.ms} ms (${result.model})` };
    },
  },
];

function listRoutes({ models }: Catalog, hours: readonly TrafficHour[]) {
  return models.flatMap((model) =>
    model.routes.map(({ channel }) => {
      const own = hours.filter((hour) => hour.channel === channel.name && hour.model === model.id);
      const sum = (count: (hour: TrafficHour) => number) => own.reduce((total, hour) => total + count(hour), 0);
      const requests = sum(({ ok, failed }) => ok + failed);
      const firstToken = (own[0]?.firstToken ?? []).map((_, step) => sum((hour) => hour.firstToken[step] ?? 0));
      return {
        channel: channel.name,
        kind: channel.kind,
        model: model.id,
        requests,
        success_rate: requests === 0 ? null : sum(({ ok }) => ok) / requests,
        first_token_ms_p50: percentileOf(firstToken, 0.5),
      };
    }),
  );
}

function findRoute({ models }: Catalog, channel: Channel): Route {
  const route = models.flatMap((model) => model.routes).find((one) => one.channel === channel);
  if (!route) throw new Refused(`no model has a route to ${channel.name}: there is nothing to ask it for`);
  return route;
}

/** The smallest call that each kind of endpoint takes; images are left out, because each one costs. */
const TEST_CALLS: readonly (readonly [endpoint: UpstreamEndpoint, body: (model: string) => unknown])[] = [
  ['chat', (model) => ({ model, max_tokens: 16, messages: [{ role: 'user', content: 'Say ok.' }] })],
  ['messages', (model) => ({ model, max_tokens: 16, messages: [{ role: 'user', content: 'Say ok.' }] })],
  [
    'gemini',
    () => ({ contents: [{ role: 'user', parts: [{ text: 'Say ok.' }] }], generationConfig: { maxOutputTokens: 16 } }),
  ],
  ['responses', (model) => ({ model, max_output_tokens: 16, input: 'Say ok.', store: false })],
  ['embeddings', (model) => ({ model, input: 'ok' })],
];

async function testChannel(tools: CommandTools, channel: Channel, { model }: Route) {
  const call = TEST_CALLS.find(([endpoint]) => channel.endpoints.includes(endpoint));
  if (!call) throw new Refused(`${channel.name} has only endpoints that a test would pay for`);
  const [endpoint, body] = call;
  const upstream = tools.findUpstream(channel);
  const startedAt = tools.clock.monotonic();
  const timeout = new AbortController();
  const timer = new AbortController();
  sleep(tools.clock, TEST_TIMEOUT_MS, timer.signal).then(
    () => timeout.abort(),
    () => {},
  );
  const facts = (ok: boolean, detail: string) => ({
    ok,
    channel: channel.name,
    model,
    endpoint,
    ms: Math.round(tools.clock.monotonic() - startedAt),
    detail,
  });
  try {
    const response = await upstream.send({
      endpoint,
      model,
      body: JSON.stringify(body(model)),
      stream: false,
      headers: {},
      signal: timeout.signal,
    });
    const text = await response.text();
    if (response.status === 200) return facts(true, 'ok');
    const { message, code } = readFailure(response.status, response.headers, text, upstream.hidden);
    return facts(false, `status ${response.status}${code ? ` (${code})` : ''}${message ? `: ${message}` : ''}`);
  } catch (error) {
    return facts(false, timeout.signal.aborted ? 'no answer in time' : networkFault(error));
  } finally {
    timer.abort();
  }
}

function networkFault(error: unknown): string {
  return error instanceof Error && 'code' in error ? `cannot reach it (${String(error.code)})` : 'cannot reach it';
}
