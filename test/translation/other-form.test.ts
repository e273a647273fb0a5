// An upstream that answers in the form that was not asked for: JSON in place of a stream, or a stream in place of JSON. The
// client gets what it asked for, with or without a translation, at the same cost.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { nano } from '../support/nano.ts';
import { endingOf, type Reply, type Said } from './said.ts';
import { CLIENTS, type ClientName, replyScript, requestOf, UPSTREAMS, type UpstreamName } from './sides.ts';
import type { CaseOfPair, Way } from './translation-case.ts';
import { startTranslationGateway, type TranslationGateway } from './translation-gateway.ts';

const SAYINGS: Record<string, Said> = {
  'plain words': { text: ['Hello', ' there'] },
  'thoughts, words and two calls': {
    reasoning: ['Let me', ' see.'],
    text: ['I', ' look.'],
    calls: [
      { id: 'call_one', name: 'look', arguments: ['{"n":', '12345678901234567890}'] },
      { id: 'call_two', name: 'find', arguments: ['{"at":"早"}'] },
    ],
  },
  'words that ran into the bound': { text: ['One', ' two'], ends: 'length' },
};

const WAYS: readonly Way[] = ['stream', 'whole'];
const pairs = (Object.keys(CLIENTS) as ClientName[]).flatMap((client) =>
  (Object.keys(UPSTREAMS) as UpstreamName[]).map((upstream) => ({ client, upstream })),
);
const BAD = { error: { message: 'The model is overloaded.', type: 'server_error', code: 'overloaded' } };
let setting: TranslationGateway;

/** A failure has a model of its own, so that its breaker is nobody else's. */
const caseOf = ({ client, upstream }: { client: ClientName; upstream: UpstreamName }, name = 'fine'): CaseOfPair => ({
  client,
  upstream,
  case: { name, catalog: name === 'fine' ? {} : { aliases: [`${name}-${client}-${upstream}`] } },
});

beforeAll(async () => {
  const cases = pairs.flatMap((pair) => ['fine', 'error', 'cut'].map((name) => caseOf(pair, name)));
  setting = await startTranslationGateway(cases);
});
afterAll(() => setting.stop());

async function ask(
  one: CaseOfPair,
  way: Way,
  reply: Reply,
  repliesAs: Way,
): Promise<{ response: Response; text: string }> {
  const { gateway, key } = setting;
  gateway.upstream.reset();
  gateway.upstream.otherwise(replyScript(one.upstream, reply, repliesAs === 'stream'));
  const model = setting.modelOf(one, way);
  const fields = CLIENTS[one.client].body({ model, ...(way === 'stream' ? { stream: true } : {}) });
  const { path, body } = requestOf(one.client, fields);
  const response = await gateway.call(path, { key, body });
  return { response, text: await response.text() };
}

const otherThan = (way: Way): Way => (way === 'stream' ? 'whole' : 'stream');

describe.each(pairs)('$client to $upstream', (pair) => {
  const { client, upstream } = pair;
  const one = caseOf(pair);

  for (const way of WAYS) {
    test.each(Object.entries(SAYINGS))(`a ${way} answer of %s`, async (_, said) => {
      const { response, text } = await ask(one, way, UPSTREAMS[upstream].says(said), otherThan(way));
      expect(response.status, text).toBe(200);
      const type = way === 'stream' ? 'text/event-stream' : 'application/json';
      expect(response.headers.get('content-type')).toStartWith(type);
      expect(setting.gateway.upstream.requests).toHaveLength(1);
      const told = way === 'stream' ? CLIENTS[client].readStream(text) : CLIENTS[client].readWhole(JSON.parse(text));
      expect(told.complete, text).toBe(true);
      expect(told.models).toEqual([setting.modelOf(one, way)]);
      expect(told).toMatchObject({
        text: (said.text ?? []).join(''),
        reasoning: (said.reasoning ?? []).join(''),
        ends: endingOf(said),
      });
      expect(told.calls.map(({ name }) => name)).toEqual((said.calls ?? []).map(({ name }) => name));
      for (const call of said.calls ?? []) expect(text.replaceAll('\\"', '"')).toContain(call.arguments.at(-1) ?? '');
      const cost = way === 'stream' ? BigInt(told.usage.cost_nano) : nano(response.headers.get('x-svc-cost-ntd'));
      expect(cost).toBe(18n);
    });

    test(`an error in place of a ${way} answer stays one`, async () => {
      const { response, text } = await ask(caseOf(pair, 'error'), way, { whole: BAD }, 'whole');
      expect(response.status, text).toBe(502);
    });
  }

  test.each(['text/event-stream', 'application/json'])(
    'a whole answer is told by its body, not by %s',
    async (type) => {
      for (const repliesAs of WAYS) {
        const reply = { ...UPSTREAMS[upstream].says({ text: ['Hello'] }), headers: { 'content-type': type } };
        const { response, text } = await ask(one, 'whole', reply, repliesAs);
        expect(response.status, text).toBe(200);
        expect(CLIENTS[client].readWhole(JSON.parse(text)).text).toBe('Hello');
      }
    },
  );

  test('a stream that never ends is no whole answer', async () => {
    const { stream = [] } = UPSTREAMS[upstream].says({ text: ['Hello', ' there'] });
    const cut = stream.slice(
      0,
      stream.findIndex((event) => JSON.stringify(event).includes(' there')),
    );
    expect(cut.length).toBeGreaterThan(0);
    const { response, text } = await ask(caseOf(pair, 'cut'), 'whole', { stream: cut }, 'stream');
    expect(response.status, text).toBe(502);
    expect((JSON.parse(text) as Answer).error).toBeDefined();
  });
});
