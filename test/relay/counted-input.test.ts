// Input that no upstream has counted: what is charged for it is near what models make of it, also of media, of which the
// bytes tell little, and of what is sealed, which is no words.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts';
import { png, type Wave, wave as waveBytes } from '../support/media-samples.ts';
import { chatAnswer, chatStream } from '../support/openai-chat.ts';
import { responseAnswer } from '../support/openai-responses.ts';
import { cutAt } from '../support/script.ts';
import { sseEvents, textOf } from '../support/sse.ts';
import { upModel } from '../support/test-document.ts';

let gateway: TestGateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startTestGateway({
    document: (standard) => ({
      ...standard,
      models: [
        ...standard.models,
        upModel('cheap', { price: { input: 0.01, output: 0.01 }, context_tokens: 400_000 }),
        upModel('mini', { price: { input: 0.01, output: 0.01 }, routes: [{ channel: 'up', model: 'gpt-4o-mini' }] }),
      ],
    }),
  });
});
beforeEach(async () => {
  gateway.upstream.reset();
  account = await gateway.register();
});
afterAll(() => gateway.stop());

const asking = (...content: unknown[]) => ({ model: 'cheap', max_tokens: 50, messages: [{ role: 'user', content }] });

/** What a call is billed as input whose upstream says nothing of it. */
async function counted(body: Record<string, unknown>): Promise<number> {
  gateway.upstream.next(chatAnswer({ usage: null }));
  const response = await gateway.chat(account.key, body);
  expect(response.status).toBe(200);
  const { data } = await gateway.get('/api/usage', account.key);
  expect(data[0]).toMatchObject({ estimated: true });
  return data[0].input_tokens;
}

/** What is answered to a client that asks before a call. */
async function count(messages: unknown[]): Promise<number> {
  const response = await gateway.call('/v1/messages/count_tokens', {
    key: account.key,
    body: { model: 'cheap', messages },
  });
  return ((await response.json()) as { input_tokens: number }).input_tokens;
}

const wave = (seconds: number, head: Wave = {}) => waveBytes(seconds, head).toString('base64');
const audio = (data: string, format = 'wav') => ({ type: 'input_audio', input_audio: { data, format } });

describe('audio', () => {
  /** The fewest and the most that vendors count. */
  const OPENAI = 10;
  const GEMINI = 32;

  test.each([
    ['a wave', 60, audio(wave(60))],
    ['a wave of more samples in two channels', 30, audio(wave(30, { channels: 2, samples: 48_000 }))],
    ['a wave that says of itself that it is short', 60, audio(wave(60, { told: 0xffffffff }))],
    ['a wave behind a head', 60, audio(`data:audio/wav;base64,${wave(60)}`)],
  ])('counts by its seconds, no more than twice what a vendor does: %s', async (_, seconds, part) => {
    const tokens = await counted(asking(part));
    expect(tokens).toBeLessThan(2.2 * OPENAI * seconds);
    expect(tokens).toBeGreaterThan((GEMINI * seconds) / 2);
  });

  test.each([
    ['samples without a head', 30, audio(Buffer.alloc(30 * 48_000, 7).toString('base64'), 'pcm16')],
    ['an MP3', 60, audio(Buffer.alloc(60 * 16_000, 0xff).toString('base64'), 'mp3')],
  ])('whose bytes bound nothing is counted before a call in the same way: %s', async (_, seconds, part) => {
    expect((await count([{ role: 'user', content: [part] }])) / seconds).toBeWithin(GEMINI / 2, 2.2 * OPENAI);
  });

  test('that claims a sample a second counts for no more than its bytes may be', async () => {
    const { length } = wave(1);
    const part = audio(wave(1, { samples: 1 }).padEnd(length, 'A'));
    expect(await count([{ role: 'user', content: [part] }])).toBeLessThan(length / 4 + 100);
  });

  test('of more samples than anybody records counts as if it had fewer', async () => {
    const least = await counted(asking(audio(wave(10, { channels: 2, samples: 48_000 }))));
    const bytes = Buffer.from(wave(10, { channels: 2, samples: 48_000 }), 'base64');
    bytes.writeUInt32LE(0xffffffff, 24);
    expect(await counted(asking(audio(bytes.toString('base64'))))).toBe(least);
  });

  test('costs a client that leaves the stream as much as one that stays, or little more', async () => {
    const said = chatStream();
    const [role = '', word = ''] = (said.body ?? []) as string[];
    gateway.upstream.next(cutAt(said, role.length + word.length, 'stall'));
    const leaving = new AbortController();
    const body = { ...asking(audio(wave(10))), stream: true };
    const response = await gateway.chat(account.key, body, { signal: leaving.signal });
    const events = [];
    for await (const event of sseEvents(response)) {
      events.push(event);
      if (textOf(events) !== '') break;
    }
    leaving.abort();
    await eventually('the call to be closed', async () => {
      return (await gateway.get('/api/usage', account.key)).data.length > 0;
    });
    const { data } = await gateway.get('/api/usage', account.key);
    expect(data[0]).toMatchObject({ status: 'client_gone', estimated: true });
    expect(data[0].input_tokens).toBeLessThan(10 * GEMINI);
  });

  test('is no reason to refuse a free call of a minute', async () => {
    gateway.upstream.next(chatAnswer());
    const response = await gateway.chat(account.key, { ...asking(audio(wave(60))), model: 'up-free' });
    expect(response.status).toBe(200);
  });
});

describe('an image', () => {
  const image = (width: number, height: number) => {
    const head = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    const size = Buffer.alloc(8);
    size.writeUInt32BE(width, 0);
    size.writeUInt32BE(height, 4);
    const url = `data:image/png;base64,${Buffer.concat([head, size]).toString('base64')}`;
    return { type: 'image_url', image_url: { url } };
  };

  test.each([
    ['an icon', image(32, 32), 85],
    ['one of a million pixels, as Claude counts it', image(1_000, 1_000), 1_334],
    ['one that is made smaller', image(4_000, 3_000), 1_600],
    ['one of which nobody knows the size', { type: 'image_url', image_url: { url: 'https://x.test/a.png' } }, 800],
  ])('counts by its pixels: %s', async (_, part, tokens) => {
    expect((await counted(asking(part))) - (await counted(asking({ type: 'text', text: '' })))).toBe(tokens);
  });
});

describe('on a model that bills more for an image', () => {
  const address = 'https://x.test/a.png';
  const image = (detail?: string) => ({
    type: 'image_url',
    image_url: { url: address, ...(detail ? { detail } : {}) },
  });
  const square = `data:image/png;base64,${png(512, 512).toString('base64')}`;

  test.each([
    ['of unknown size', image(), 2_833 + 4 * 5_667],
    ['of unknown size, looked at from afar', image('low'), 2_833],
    ['of 512 pixels a side', { type: 'image_url', image_url: { url: square } }, 2_833 + 5_667],
  ])('it counts as much: %s', async (_, part, tokens) => {
    const ask = (...parts: object[]) => counted({ ...asking({ type: 'text', text: 'Hi' }, ...parts), model: 'mini' });
    expect((await ask(part)) - (await ask())).toBe(tokens);
  });
});

describe('words count wherever a model reads them', () => {
  const SAID = 'The quick brown fox jumps over the lazy dog. '.repeat(20);
  const LEAST = 180;
  const tool = (properties: object) => ({
    tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties } } }],
  });
  const called = (input: object) => ({ content: [{ type: 'tool_use', id: 't', name: 'f', input }] });
  const hi = { role: 'user', content: 'Hi' };

  async function countedIn(path: string, body: Record<string, unknown>): Promise<number> {
    gateway.upstream.next(path === '/v1/responses' ? responseAnswer({ usage: null }) : chatAnswer({ usage: null }));
    const response = await gateway.call(path, { key: account.key, body: { model: 'cheap', ...body } });
    expect(response.status).toBe(200);
    return (await gateway.get('/api/usage', account.key)).data[0].input_tokens;
  }

  test.each<[string, Record<string, unknown>]>([
    ['documents beside the messages', { documents: [{ title: 'a', text: SAID }] }],
    ['a field that is not known here', { knowledge: { notes: [SAID] } }],
    ['a property that is called role', tool({ role: { type: 'string', description: SAID } })],
    ['a property that is called type', tool({ type: { type: 'string', description: SAID } })],
    ['a property that is called cache_control', tool({ cache_control: { type: 'string', description: SAID } })],
    ['a list of numbers', tool({ n: { enum: Array.from({ length: 200 }, (_, n) => n) } })],
    ['arguments that are called role', { messages: [hi, { role: 'assistant', ...called({ role: SAID }) }, hi] }],
    ['arguments like an id', { messages: [hi, { role: 'assistant', ...called({ type: 'x', id: SAID }) }, hi] }],
    ['arguments like a seal', { messages: [hi, { role: 'assistant', ...called({ encrypted_content: SAID }) }, hi] }],
  ])('%s', async (_, fields) => {
    const body = { max_tokens: 50, messages: [hi], ...fields };
    const plain = await countedIn('/v1/chat/completions', { max_tokens: 50, messages: [hi] });
    expect((await countedIn('/v1/chat/completions', body)) - plain).toBeGreaterThan(LEAST);
  });

  test('the schema of an answer of /v1/responses', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string', description: SAID } } };
    const text = { format: { type: 'json_schema', name: 'answer', schema } };
    const plain = await countedIn('/v1/responses', { input: 'Hi', max_output_tokens: 50 });
    expect((await countedIn('/v1/responses', { input: 'Hi', max_output_tokens: 50, text })) - plain).toBeGreaterThan(
      LEAST,
    );
  });

  test.each<[string, Record<string, unknown>]>([
    ['metadata', { metadata: { note: SAID } }],
    ['the name of a user', { user: SAID }],
    ['stop sequences', { stop: [SAID] }],
    ['a field that stays behind', { chat_template: SAID }],
  ])('but not in settings: %s', async (_, fields) => {
    const plain = await countedIn('/v1/chat/completions', { max_tokens: 50, messages: [hi] });
    expect(await countedIn('/v1/chat/completions', { max_tokens: 50, messages: [hi], ...fields })).toBe(plain);
  });
});

describe('a PDF', () => {
  const pdf = (bytes: number) => {
    const base64 = Buffer.alloc(bytes, '%PDF-1.7 ').toString('base64');
    return { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${base64}` } };
  };

  test('of scanned pages counts about as many tokens as these have', async () => {
    const pages = 10;
    const tokens = await count([{ role: 'user', content: [pdf(pages * 100_000)] }]);
    expect(tokens / (pages * 2_000)).toBeWithin(0.8, 1.25);
  });
});

describe('what is sealed', () => {
  const seal = (bytes: number) => randomBytes(bytes).toString('base64');
  const turns = (thought: (turn: number) => object) =>
    Array.from({ length: 20 }, (_, turn) => [
      {
        role: 'assistant',
        content: [thought(turn), { type: 'tool_use', id: 't', name: 'Read', input: { at: 'a.ts' } }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'const value = 1;\n'.repeat(20) }] },
    ]).flat();

  test.each([
    ['a signature', () => ({ type: 'thinking', thinking: 'Let me look.', signature: seal(900) })],
    ['thoughts that nobody may read', () => ({ type: 'redacted_thinking', data: seal(900) })],
  ])('counts as what may be in it, not as words: %s', async (_, thought) => {
    const without = await count(turns(() => ({ type: 'thinking', thinking: 'Let me look.' })));
    const tokensOfIt = ((await count(turns(thought))) - without) / 20;
    expect(tokensOfIt).toBeLessThan(900 / 4);
    expect(tokensOfIt).toBeGreaterThan(900 / 16);
  });

  test('counts so in items of responses, too', async () => {
    const ask = async (sealed: boolean) => {
      gateway.upstream.next(responseAnswer({ pieces: ['Done.'], usage: null }));
      const items = Array.from({ length: 20 }, () => [
        ...(sealed ? [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: seal(900) }] : []),
        { type: 'function_call', call_id: 'c', name: 'shell', arguments: '{"command":"ls"}' },
        { type: 'function_call_output', call_id: 'c', output: 'const value = 1;\n'.repeat(20) },
      ]).flat();
      const input = [{ role: 'user', content: 'Mend it.' }, ...items];
      const body = { model: 'cheap', max_output_tokens: 50, input };
      const response = await gateway.call('/v1/responses', { key: account.key, body });
      expect(response.status).toBe(200);
      return (await gateway.get('/api/usage', account.key)).data[0].input_tokens;
    };
    expect((await ask(true)) - (await ask(false))).toBeLessThan((20 * 900) / 4);
  });

  test('is words where it is none of these', async () => {
    const said = 'The quick brown fox jumps over the lazy dog. '.repeat(20);
    const tool = (input: object) => [{ role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input }] }];
    const words = (await count(tool({ note: said }))) - (await count(tool({ note: '' })));
    for (const name of ['id', 'data', 'signature']) {
      expect((await count(tool({ [name]: said }))) - (await count(tool({ [name]: '' })))).toBe(words);
    }
  });

  test('ids count for nothing', async () => {
    const called = (id: string) => [{ role: 'assistant', content: [{ type: 'tool_use', id, name: 'f', input: {} }] }];
    expect(await count(called('toolu_01A09q90qw90lq917835lq9'))).toBe(await count(called('t')));
  });
});
