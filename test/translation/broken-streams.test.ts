// A stream that breaks in the middle and goes on at an upstream of another kind. Whatever the two speak, the client gets
// one answer in its own dialect: one start, no word twice, none missing, one end, paid once; or a clear error. `npm test`
// breaks after a sixth of the events, another sixth in each run; `npm run test:long` after every one.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { createGate, eventually } from '../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { IS_LONG_RUN, RUN_SEED } from '../support/long-run.ts';
import { untilHeard } from '../support/race.ts';
import { bytesOf, cutAt, type Script } from '../support/script.ts';
import { upstreamUrl } from '../support/test-document.ts';
import { type ScriptedUpstream, type SeenRequest, startUpstream } from '../support/upstream.ts';
import { endingOf, type Said } from './said.ts';
import { CLIENTS, type ClientName, replyScript, requestOf, UPSTREAMS, type UpstreamName } from './sides.ts';

const NAMES = ['openai', 'anthropic', 'gemini'] as const satisfies UpstreamName[];
const COMBINATIONS = (Object.keys(CLIENTS) as ClientName[]).flatMap((client) =>
  NAMES.flatMap((first) => NAMES.filter((name) => name !== first).map((second) => ({ client, first, second }))),
);
type Combination = (typeof COMBINATIONS)[number];

const SAYINGS: Record<string, Said> = {
  words: { text: ['Alpha', ' beta', ' 嘎瑪', ' delta.'] },
  'thoughts and words': { reasoning: ['Hm', '…'], text: ['Yes', ', 好', '.'] },
  'a call': { text: ['So.'], calls: [{ id: 'call_1', name: 'look', arguments: ['{"at"', ':"早', '安"}'] }] },
};
const TOKENS: Partial<Record<UpstreamName, Record<string, number>>> = {
  openai: { prompt_tokens: 12, completion_tokens: 8, total_tokens: 20 },
  anthropic: { input_tokens: 12, output_tokens: 8 },
  gemini: { promptTokenCount: 12, candidatesTokenCount: 8, totalTokenCount: 20 },
};
/** Nano-NT$ of 12 tokens in and 8 out. */
const COST = 12n * 10_000n + 8n * 40_000n;
/** Breakers are for a channel and a model: each break has a model of its own. */
const MODELS_EACH = 250;
const AT_ONCE = 8;
const SHARE = IS_LONG_RUN ? 1 : 6;
/**
 * The gateway reads what came before the cut meanwhile. On a busy machine both may still arrive together, and then the
 * runtime drops the words with the connection: nobody has seen them, and the second upstream's answer is the whole one.
 */
const CUT_AFTER_MS = 40;
/** After the words that were read, so that nothing is lost with the connection but this. */
const COMMENT = ': that was all\n\n';
/** As many of them continue an answer that was begun, at the second upstream. */
const PREFILLED = 10;

let gateway: TestGateway;
let second: ScriptedUpstream;
const taken = new Map<string, number>();
/** What each upstream says, by the name that it has for the model. */
const firstSays = new Map<string, Script[]>();
const secondSays = new Map<string, Script>();
/** Models that the second upstream was asked for. */
const heard = new Set<string>();

beforeAll(async () => {
  second = await startUpstream();
  gateway = await startTestGateway({
    limits: { paid_per_minute: 1_000_000, in_flight: 10_000 },
    document: (standard) => {
      const bases = { first: upstreamUrl(standard), second: second.baseUrl };
      const channels = Object.entries(bases).flatMap(([place, base]) =>
        NAMES.map((name) => UPSTREAMS[name].channel(`${place}-${name}`, base.replace(/\/v1$/, ''))),
      );
      return { ...standard, channels: [...standard.channels, ...channels], models: [...standard.models, ...models()] };
    },
  });
});
beforeAll(() => {
  gateway.upstream.otherwise((request) => firstSays.get(askedFor(request))?.shift() ?? FAILS);
  second.otherwise((request) => {
    heard.add(askedFor(request));
    return secondSays.get(askedFor(request)) ?? FAILS;
  });
});
afterAll(async () => {
  await gateway.stop();
  await second.close();
});

const FAILS: Script = { status: 500, body: ['{}'] };

/** In the body, or in Gemini's path. */
function askedFor({ json, path }: SeenRequest): string {
  return json.model ?? /models\/([^:]+):/.exec(path)?.[1];
}

function models(): Record<string, unknown>[] {
  return NAMES.flatMap((first) =>
    NAMES.filter((name) => name !== first).flatMap((next) =>
      Array.from({ length: MODELS_EACH }, (_, number) => ({
        id: `${first}-${next}-${number}`,
        max_output_tokens: 1_000,
        price: { input: 10, output: 40 },
        routes: [
          { channel: `first-${first}`, model: nameAt(first, first, next, number), priority: 1 },
          {
            channel: `second-${next}`,
            model: nameAt(next, first, next, number),
            priority: 2,
            prefill: number < PREFILLED,
          },
        ],
      })),
    ),
  );
}

function nameAt(upstream: UpstreamName, first: UpstreamName, next: UpstreamName, number: number): string {
  return `${UPSTREAMS[upstream].model}.${first}-${next}-${number}`;
}

function takeNumber({ first, second: next }: Combination, isPrefilled: boolean): number {
  const pair = `${first}-${next}-${isPrefilled}`;
  const number = taken.get(pair) ?? (isPrefilled ? 0 : PREFILLED);
  if (number >= MODELS_EACH) throw new Error('more breaks than models');
  taken.set(pair, number + 1);
  return number;
}

const streamOf = (upstream: UpstreamName, said: Said): Script =>
  replyScript(upstream, UPSTREAMS[upstream].says({ usage: TOKENS[upstream] ?? null, ...said }), true);

interface Broken {
  /** Events of the first stream that arrive whole. */
  events: number;
  /** What the second one says. */
  again: Said;
  /** The first one breaks when the client has read its " beta", which is in the last event that arrives. */
  isRead?: boolean;
  /** The second one is given the beginning, which was read so far, and says only the rest. */
  isPrefilled?: boolean;
  /** The first body ends in good order, as behind a proxy that hides that its own upstream is gone. */
  endsInOrder?: boolean;
}

async function ask(combination: Combination, said: Said, broken: Broken) {
  const { events, again, isPrefilled = false, isRead = isPrefilled, endsInOrder = false } = broken;
  const { client, first, second: next } = combination;
  const { key } = await gateway.register();
  const whole = streamOf(first, said);
  const parts = (whole.body ?? []).map((part) => bytesOf(String(part)));
  const length = parts.slice(0, events).reduce((sum, part) => sum + part.byteLength, 0);
  const number = takeNumber(combination, isPrefilled);
  const reading = createGate();
  const begun: Script = { ...whole, body: [...parts.slice(0, events), reading.opened, COMMENT] };
  const isCut = isRead ? cutAt(begun, length + COMMENT.length, 'fin') : cutAt(whole, length, 'fin', CUT_AFTER_MS);
  const ends: Script = { ...whole, framing: 'chunked', body: parts.slice(0, events) };
  firstSays.set(nameAt(first, first, next, number), [endsInOrder ? ends : isCut]);
  secondSays.set(nameAt(next, first, next, number), streamOf(next, again));
  const fields = CLIENTS[client].body({ model: `${first}-${next}-${number}`, stream: true });
  const { path, body } = requestOf(client, fields);
  const response = await untilHeard(() => gateway.call(path, { key, body }));
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (text.includes(' beta')) reading.open();
  }
  const record: Answer = await eventually(
    'the usage record',
    async () => (await gateway.get('/api/usage', key)).data[0] as Answer | undefined,
  );
  expect(firstSays.get(nameAt(first, first, next, number))).toEqual([]);
  const wentOn = heard.has(nameAt(next, first, next, number));
  return { status: response.status, text, record, wentOn, told: CLIENTS[client].readStream(text) };
}

const eventsOf = (upstream: UpstreamName, said: Said) => streamOf(upstream, said).body?.length ?? 0;
/** Broken off after its second word. */
const FOUR_WORDS: Said = { text: ['Alpha', ' beta', ' gamma', ' delta.'] };
const eventsUntilBeta = (upstream: UpstreamName) =>
  (streamOf(upstream, FOUR_WORDS).body ?? []).findIndex((frame) => String(frame).includes(' beta')) + 1;
/** After how many events a stream is broken. */
function breaksOf(combination: Combination, said: Said): number[] {
  const phase = COMBINATIONS.indexOf(combination) + RUN_SEED;
  const all = Array.from({ length: eventsOf(combination.first, said) }, (_, events) => events);
  return all.filter((events) => (events + phase) % SHARE === 0);
}
const joined = (pieces: readonly string[] = []) => pieces.join('');

async function checkBreak(combination: Combination, said: Said, events: number, endsInOrder = false): Promise<void> {
  const { told, text, record, wentOn } = await ask(combination, said, { events, again: said, endsInOrder });
  const shown = {
    text: told.text,
    reasoning: told.reasoning,
    calls: told.calls.map((call) => [call.name, call.arguments]),
    ends: told.ends,
    complete: told.complete,
    error: told.error,
  };
  expect(shown, `after ${events} events: ${text}`).toEqual({
    text: joined(said.text),
    reasoning: joined(said.reasoning),
    calls: (said.calls ?? []).map((call) => [call.name, joined(call.arguments)]),
    ends: endingOf(said),
    complete: true,
    error: undefined,
  });
  expect(record.status).toBe('ok');
  // A stream that had said everything but its figures is not asked for again.
  if (wentOn) expect(record.cost_nano, `after ${events} events`).toBe(`${COST}`);
  expect(told.usage.cost_nano).toBe(record.cost_nano);
}

describe.each(COMBINATIONS)('$client, from $first to $second', (combination) => {
  test.each(Object.entries(SAYINGS))('%s, broken after any event', async (_, said) => {
    const breaks = breaksOf(combination, said);
    for (let from = 0; from < breaks.length; from += AT_ONCE) {
      await Promise.all(breaks.slice(from, from + AT_ONCE).map((events) => checkBreak(combination, said, events)));
    }
  });

  test('a call, in a body that ends in good order after any event', async () => {
    const said: Said = { calls: [{ id: 'call_1', name: 'look', arguments: ['{"at"', ':1}'] }] };
    await Promise.all(breaksOf(combination, said).map((events) => checkBreak(combination, said, events, true)));
  });

  test('an upstream that continues a begun answer is given it, and says only the rest', async () => {
    const events = eventsUntilBeta(combination.first);
    const again: Said = { text: [' gamma', ' delta.'] };
    const { told, record } = await ask(combination, FOUR_WORDS, { events, again, isPrefilled: true });
    expect(told).toMatchObject({ text: 'Alpha beta gamma delta.', complete: true, ends: 'end', error: undefined });
    expect(record).toMatchObject({ status: 'ok', estimated: true, cost_nano: told.usage.cost_nano });
    const { json } = second.requests.at(-1) ?? {};
    const last = (json.messages ?? json.contents).at(-1);
    expect(['assistant', 'model']).toContain(last.role);
    expect(JSON.stringify(last)).toContain('Alpha beta');
  });

  test.each([
    ['something else', 'Omega beta gamma delta.'],
    ['something else in the end', 'Alpha bets gamma delta.'],
    ['less', 'Alpha'],
  ])('another run that says %s is no continuation: an error, nothing to pay', async (_, said) => {
    const events = eventsUntilBeta(combination.first);
    const again: Said = { text: [said] };
    const { told, record, status, wentOn } = await ask(combination, FOUR_WORDS, { events, again, isRead: true });
    expect(status).toBe(200);
    expect(wentOn).toBe(true);
    expect(told).toMatchObject({ text: 'Alpha beta', complete: false });
    expect(told.error).toBeDefined();
    expect(record).toMatchObject({ status: 'upstream_failed', cost_nano: '0' });
  });
});
