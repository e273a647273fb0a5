// Measures one target under every load once: small requests, a long prompt, streams, refusals.

import { eventsOf, LONG_TOKENS, SHORT_TOKENS, SLOW_PACE_MS, SLOW_SHORT_TOKENS, SLOW_TOKENS } from './answers.ts';
import { conversationBody } from './conversation.ts';
import { type Crew, requestBody } from './crew.ts';
import { REFUSED_MODEL } from './gateway-target.ts';
import type { Call, LoadReport } from './messages.ts';
import { CONCURRENCIES, type Figures } from './metrics.ts';
import type { Running, Target } from './target.ts';

export type Part = (crew: Crew, target: Target, running: Running, forMs: number) => Promise<Figures>;

const WARM_UP_REQUESTS = 100_000;
const WARM_UP = [
  { script: 'json', connections: 16, share: 0.7 },
  { script: 'burst', connections: 16, share: 0.3 },
] as const;
const STREAMS = 32;
const SLOW_STREAMS = 1_000;
/** A gateway refuses what it cannot admit soon, so they begin one after the other; then all are open. */
const SLOW_RAMP_MS = 2_000;
const AGENTS = 2;
const MAX_SHORT_MS = 500;
const LARGE_CHARACTERS = 100 * 1024;
const SENTENCE = 'It was a long way to the harbour, and nobody on the road knew "who" lived there.\n';
export const LARGE_PROMPT = SENTENCE.repeat(Math.ceil(LARGE_CHARACTERS / SENTENCE.length));

/** All targets run one part before the next begins, so that a slow moment of the machine affects all of them. */
export const PARTS: readonly Part[] = [
  ...CONCURRENCIES.map(
    (connections): Part =>
      (...args) =>
        small(connections, ...args),
  ),
  large,
  (...args) => conversation(113, ...args),
  (...args) => conversation(1000, ...args),
  firstToken,
  (...args) => chunks('chunkCpu', {}, ...args),
  translated,
  slowStreams,
  refusals,
];

function perRequest({ cpuUs, requests }: LoadReport, group: 'own' | 'all' = 'own'): number {
  return (cpuUs[group] ?? Number.NaN) / requests;
}

async function small(
  connections: (typeof CONCURRENCIES)[number],
  ...[crew, target, running, forMs]: Parameters<Part>
): Promise<Figures> {
  const report = await crew.load(target, running, { script: 'json', connections, forMs });
  const hasOthers = running.watch().own.length < running.watch().all.length;
  return {
    [`cpu${connections}`]: perRequest(report),
    ...(hasOthers ? { [`cpuAll${connections}`]: perRequest(report, 'all') } : {}),
    [`rate${connections}`]: report.requests / report.seconds,
    [`p50_${connections}`]: report.latencyMs.p50,
    [`p99_${connections}`]: report.latencyMs.p99,
    ...(connections === 64 ? { loadCpu: report.ownCpuUs / report.requests } : {}),
  };
}

async function large(...[crew, target, running, forMs]: Parameters<Part>): Promise<Figures> {
  const body = requestBody(target.modelOf('json'), false, LARGE_PROMPT);
  const report = await crew.load(target, running, { script: 'json', connections: 16, forMs, call: { body } });
  return { largeCpu: perRequest(report), largeP50: report.latencyMs.p50 };
}

/** A coding agent's conversation, through an upstream of its own format, and translated for one of the other. */
async function conversation(
  kilobytes: 113 | 1000,
  ...[crew, target, running, forMs]: Parameters<Part>
): Promise<Figures> {
  const run = async (script: 'message' | 'json') => {
    const body = conversationBody(target.modelOf(script), kilobytes * 1000);
    const call = { path: '/v1/messages', body, expect: { status: 200, ending: '}' } };
    return perRequest(await crew.load(target, running, { script, connections: AGENTS, forMs, call })) / 1000;
  };
  if (!target.takesMessages) return {};
  return {
    [`agentCpu${kilobytes}`]: await run('message'),
    ...(target.billing ? { [`agentTranslatedCpu${kilobytes}`]: await run('json') } : {}),
  };
}

/** The upstream sends everything at once, so the rest is the time of the target. */
async function firstToken(...[crew, target, running, forMs]: Parameters<Part>): Promise<Figures> {
  const { firstTokenMs } = await crew.load(target, running, { script: 'burst', connections: 1, forMs });
  return { firstToken: firstTokenMs.p50, firstTokenP99: firstTokenMs.p99 };
}

/** The extra cost of a long stream over a short one, per chunk, so that the request itself does not count. */
async function chunks(
  metric: 'chunkCpu' | 'chunkCpuTranslated',
  call: Partial<Call>,
  ...[crew, target, running, forMs]: Parameters<Part>
): Promise<Figures> {
  const run = (script: 'short' | 'long') =>
    crew.load(target, running, {
      script,
      call,
      connections: STREAMS,
      forMs: script === 'short' ? Math.min(forMs, MAX_SHORT_MS) : 0,
      hasFirst: false,
    });
  const short = perRequest(await run('short'));
  const long = perRequest(await run('long'));
  return { [metric]: (long - short) / (LONG_TOKENS - SHORT_TOKENS) };
}

/** Each has an event every 100 ms. `slowLateP99` is what the last event comes later than the upstream's pace. */
async function slowStreams(...[crew, target, running]: Parameters<Part>): Promise<Figures> {
  const run = (script: 'slow-short' | 'slow') =>
    crew.load(target, running, { script, connections: SLOW_STREAMS, forMs: 0, rampMs: SLOW_RAMP_MS, hasFirst: false });
  const short = perRequest(await run('slow-short'));
  const report = await run('slow');
  return {
    slowChunkCpu: (perRequest(report) - short) / (SLOW_TOKENS - SLOW_SHORT_TOKENS),
    slowLateP99: report.latencyMs.p99 - (eventsOf('slow').length - 1) * SLOW_PACE_MS,
  };
}

/**
 * Warms up a target until its code is compiled: a busy program is recompiled for about 80,000 requests, however long they
 * take. Returns the number of requests within `mostMs`.
 */
export async function warmUp(crew: Crew, target: Target, running: Running, mostMs: number): Promise<number> {
  let requests = 0;
  for (const { share, ...asked } of WARM_UP) {
    const enough = WARM_UP_REQUESTS * share;
    requests += (await crew.load(target, running, { ...asked, enough, forMs: mostMs * share })).requests;
  }
  return requests;
}

/** The client uses Anthropic's format, the upstream OpenAI's. */
async function translated(...args: Parameters<Part>): Promise<Figures> {
  if (!args[1].billing) return {};
  const expect = { status: 200, ending: 'data: {"type":"message_stop"}\n\n' };
  return chunks('chunkCpuTranslated', { path: '/v1/messages', expect }, ...args);
}

async function refusals(...[crew, target, running, forMs]: Parameters<Part>): Promise<Figures> {
  if (!target.billing) return {};
  const refuse = async (status: number, call: Partial<Call>) =>
    perRequest(
      await crew.load(target, running, {
        script: 'json',
        connections: 16,
        forMs,
        call: { ...call, expect: { status, ending: '}' } },
      }),
    );
  return {
    badKeyCpu: await refuse(401, { keys: ['sk-svc-this-is-no-key'] }),
    overLimitCpu: await refuse(429, { body: requestBody(REFUSED_MODEL, false) }),
  };
}
