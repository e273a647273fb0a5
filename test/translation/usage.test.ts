// One count of tokens, wherever it is shown: what an upstream reports, what the client is told, the usage record, the
// receipt, the charge and the balance agree, for every pair of client and upstream.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { eventually } from '../support/eventually.ts';
import { nano } from '../support/nano.ts';
import type { Said } from './said.ts';
import { CLIENTS, type ClientName, isTranslated, replyScript, requestOf, UPSTREAMS } from './sides.ts';
import type { CaseOfPair, Way } from './translation-case.ts';
import { startTranslationGateway, type TranslationGateway } from './translation-gateway.ts';
import { GEMINI_INPUT_ALONE, type Tokens, USAGE_FIXTURES, type UsageFixture } from './usage-fixtures.ts';

/** In NT$ for a million tokens. */
const PRICE = { input: 10, cached_input: 1, cache_write_5m: 12.5, cache_write_1h: 20, output: 40 };
/** The same in nano-NT$ for one. */
const UNIT = { input: 10_000n, cached: 1_000n, write5m: 12_500n, write1h: 20_000n, output: 40_000n };

const asCase = (client: ClientName, { upstream, quirks }: UsageFixture): CaseOfPair => ({
  case: { name: 'usage', catalog: { price: PRICE }, ...(quirks === undefined ? {} : { quirks }) },
  client,
  upstream,
});

let setting: TranslationGateway;
beforeAll(async () => {
  setting = await startTranslationGateway(USAGE_FIXTURES.map((fixture) => asCase('chat', fixture)));
});
afterAll(() => setting.stop());

const SAID = { text: ['Good', ' morning'] };
const SAID_NOTHING = { text: [] };
const SAID_ALOUD = { ...SAID, reasoning: ['Let', ' me', ' see'] };

/** An answer in the client's own dialect passes as it came: figures that its upstream does not tell are not added. */
const fixturesFor = (client: ClientName) =>
  USAGE_FIXTURES.filter(({ upstream, means }) => isTranslated(client, upstream) || means !== 'estimated');

const aloneFor = (client: ClientName) => GEMINI_INPUT_ALONE.filter(({ upstream }) => isTranslated(client, upstream));

describe.each(Object.keys(CLIENTS) as ClientName[])('%s', (client) => {
  describe.each(fixturesFor(client))('$upstream, $quirks, $name', (fixture) => {
    test.each(['whole', 'stream'] as const)('%s', (way) => check(client, fixture, way));
    test.each(['whole', 'stream'] as const)('%s, without output: told, and free', (way) =>
      check(client, fixture, way, SAID_NOTHING),
    );
  });

  test.each(['whole', 'stream'] as const)(
    'thoughts that came in words and were told are paid once, %s',
    async (way) => {
      for (const fixture of aloneFor(client)) {
        const { output, reasoning } = await check(client, fixture, way, SAID_ALOUD);
        const { thoughts = 0 } = fixture;
        expect(reasoning).toBe(thoughts);
        // With the words of the answer, which only we have counted.
        expect(output).toBeWithin(thoughts + 1, thoughts + 20);
      }
    },
  );

  describe.each(aloneFor(client))('gemini, $name', (fixture) => {
    test.each(['whole', 'stream'] as const)('%s', (way) => check(client, fixture, way));
  });
});

/** The upstream goes on, and reports 7 tokens for all of it: far less than what came. */
describe.each(['anthropic', 'openai-responses'] as const)(
  '%s, ended by a stop sequence that is watched for here, and reported far too low',
  (name) => {
    test.each(['whole', 'stream'] as const)('%s', async (way) => {
      const { gateway } = setting;
      const { key } = await gateway.register();
      const fixture = USAGE_FIXTURES.find(({ upstream }) => upstream === name);
      if (!fixture) throw new Error(`no fixture of ${name}`);
      const words = Array.from({ length: 200 }, (_, index) => `word${index} `);
      const stream = way === 'stream';
      gateway.upstream.reset();
      const said = UPSTREAMS[name].says({ text: [...words, '\n\n', 'unheard'] });
      gateway.upstream.otherwise(replyScript(name, said, stream));
      const body = CLIENTS.chat.body({ model: setting.modelOf(asCase('chat', fixture)), stream, stop: ['\n\n'] });
      const text = await (await gateway.call(CLIENTS.chat.path, { key, body })).text();
      const answer = stream ? CLIENTS.chat.readStream(text) : CLIENTS.chat.readWhole(JSON.parse(text));
      expect(answer.text).toBe(words.join(''));
      const record = await eventually('the record', async () => (await gateway.get('/api/usage', key)).data[0]);
      expect(record.estimated).toBe(true);
      expect(record.output_tokens).toBeGreaterThanOrEqual(words.length);
      expect(BigInt(record.cost_nano)).toBe(costOf(tokensOf(record)));
    });
  },
);

async function check(client: ClientName, fixture: UsageFixture, way: Way, said: Said = SAID): Promise<Tokens> {
  const { gateway } = setting;
  const { key } = await gateway.register();
  const { upstream, usage, input, thoughts = 0 } = fixture;
  const means = said === SAID_NOTHING ? (fixture.meansAlone ?? fixture.means) : fixture.means;
  gateway.upstream.reset();
  gateway.upstream.otherwise(replyScript(upstream, UPSTREAMS[upstream].says({ ...said, usage }), way === 'stream'));
  const bound = {
    chat: { max_tokens: 300 },
    messages: { max_tokens: 300 },
    responses: { max_output_tokens: 300 },
    gemini: { generationConfig: { maxOutputTokens: 300, thinkingConfig: { includeThoughts: true } } },
  };
  const fields = CLIENTS[client].body({
    ...bound[client],
    model: setting.modelOf(asCase(client, fixture)),
    ...(way === 'stream' ? { stream: true } : {}),
  });
  const { path, body } = requestOf(client, fields);
  const response = await gateway.call(path, { key, body });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  const id = response.headers.get('x-request-id');
  const receipt = await eventually('the receipt', async () => {
    const found = await gateway.get(`/api/receipts/${id}`, key);
    return found.request_id ? found : undefined;
  });
  const { data } = await gateway.get('/api/usage', key);
  const [record] = data;
  const { lines, attempts } = receipt;
  expect(data).toHaveLength(1);
  expect(receipt).toMatchObject(record);
  expect(attempts).toHaveLength(1);
  expect(record.estimated).toBe(means === 'estimated');
  const billed = tokensOf(record);
  if (means !== 'estimated') expect(billed).toEqual(means);
  else if (said === SAID) expect(billed).toMatchObject(input ?? {});
  if (input && said === SAID) {
    expect(billed.output).toBeGreaterThan(thoughts);
    expect(billed.reasoning).toBe(thoughts);
  }
  // Reasoning is charged, also where nothing was said.
  const cost = said === SAID_NOTHING && billed.reasoning === 0 ? 0n : costOf(billed);
  expect(record.cost_nano).toBe(cost.toString());
  expect(lines.reduce((sum: bigint, line: Answer) => sum + BigInt(line.amount_nano), 0n)).toBe(cost);
  const { balance_nano: balance, held_nano: held } = await gateway.get('/api/me', key);
  expect([BigInt(balance), held]).toEqual([1_000_000_000n - cost, '0']);

  const told =
    way === 'stream' ? CLIENTS[client].readStream(text).usage : CLIENTS[client].readWhole(JSON.parse(text)).usage;
  if (way === 'stream') expect(told.cost_nano).toBe(cost.toString());
  else expect(nano(response.headers.get('x-svc-cost-ntd'))).toBe(cost);
  if (told === undefined) throw new Error(`no usage in ${text}`);
  expect(SHOWN[client](told)).toEqual(SHOWN[client](written(client, billed)));
  const begun = /"input_tokens":(\d+)/.exec(text)?.[1];
  if (client === 'messages' && means === 'estimated' && !input) expect(Number(begun)).toBe(billed.input);
  return billed;
}

function tokensOf(record: Answer): Tokens {
  return {
    input: record.input_tokens,
    cached: record.cached_input_tokens,
    write5m: record.cache_write_5m_tokens,
    write1h: record.cache_write_1h_tokens,
    output: record.output_tokens,
    reasoning: record.reasoning_tokens,
  };
}

function costOf(tokens: Tokens): bigint {
  return Object.entries(UNIT).reduce((sum, [name, unit]) => sum + unit * BigInt(tokens[name as keyof Tokens]), 0n);
}

/** The usage of an answer in the client's own words, written by the tests' own hand. */
function written(client: ClientName, { input, cached, write5m, write1h, output, reasoning }: Tokens): Answer {
  const write = write5m + write1h;
  const all = input + cached + write;
  switch (client) {
    case 'chat':
      return {
        prompt_tokens: all,
        completion_tokens: output,
        total_tokens: all + output,
        prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: write },
        completion_tokens_details: { reasoning_tokens: reasoning },
      };
    case 'messages':
      return {
        input_tokens: input,
        cache_read_input_tokens: cached,
        cache_creation_input_tokens: write,
        cache_creation: { ephemeral_5m_input_tokens: write5m, ephemeral_1h_input_tokens: write1h },
        output_tokens: output,
        output_tokens_details: { thinking_tokens: reasoning },
      };
    case 'gemini':
      return {
        promptTokenCount: all,
        cachedContentTokenCount: cached,
        candidatesTokenCount: output - reasoning,
        thoughtsTokenCount: reasoning,
        totalTokenCount: all + output,
      };
    case 'responses':
      return {
        input_tokens: all,
        input_tokens_details: { cached_tokens: cached, cache_write_tokens: write },
        output_tokens: output,
        output_tokens_details: { reasoning_tokens: reasoning },
        total_tokens: all + output,
      };
  }
}

/** What is compared: an upstream of the client's own dialect may leave out what is zero. */
const SHOWN: Record<ClientName, (usage: Answer) => unknown[]> = {
  chat: (usage) => [
    usage.prompt_tokens,
    usage.completion_tokens,
    usage.total_tokens ?? usage.prompt_tokens + usage.completion_tokens,
    usage.prompt_tokens_details?.cached_tokens ?? 0,
    usage.prompt_tokens_details?.cache_write_tokens ?? 0,
    usage.completion_tokens_details?.reasoning_tokens ?? 0,
  ],
  messages: (usage) => [
    usage.input_tokens,
    usage.cache_read_input_tokens ?? 0,
    usage.cache_creation_input_tokens ?? 0,
    usage.cache_creation?.ephemeral_5m_input_tokens ?? 0,
    usage.cache_creation?.ephemeral_1h_input_tokens ?? 0,
    usage.output_tokens,
    usage.output_tokens_details?.thinking_tokens ?? 0,
  ],
  responses: (usage) => [
    usage.input_tokens,
    usage.input_tokens_details?.cached_tokens ?? 0,
    usage.input_tokens_details?.cache_write_tokens ?? 0,
    usage.output_tokens,
    usage.output_tokens_details?.reasoning_tokens ?? 0,
    usage.total_tokens,
  ],
  gemini: (usage) => [
    usage.promptTokenCount + (usage.toolUsePromptTokenCount ?? 0),
    usage.cachedContentTokenCount ?? 0,
    usage.candidatesTokenCount,
    usage.thoughtsTokenCount ?? 0,
    usage.totalTokenCount,
  ],
};
