// A stream that breaks in the middle and goes on elsewhere: by prefill, or by a run that says the same from the start. One
// answer, one start, no word twice, none missing; paid as the table says.

import { afterEach, describe, expect, test } from 'bun:test';
import { weighTokens } from '../../src/kit/tokens.ts';
import type { Answer } from '../support/answer.ts';
import { costAt, type Lab, type LabOptions, MAIN, SPARE, startLab, TRIAL } from '../support/lab.ts';
import { sseScript, sseText } from '../support/openai-chat.ts';
import { bytesOf, cutAt, isBytes, type Script } from '../support/script.ts';
import { WIRE_CLIENTS, wireClient } from '../support/wire-clients.ts';

const PIECES = ['Alpha', ' beta', ' gamma', ' delta.'];
const TEXT = PIECES.join('');
/** What tells a client that a text, or all of the answer, is whole. */
const ENDS = /"finish_reason":"\w|content_block_stop|"end_turn"|response\.(output_text\.done|completed)|"finishReason"/;
const count = (text: string) => Math.round(weighTokens(text));

let lab: Lab;
afterEach(() => lab.stop());

describe.each(WIRE_CLIENTS)('$name', (client) => {
  const start = async (options: LabOptions = {}) => {
    lab = await startLab(client, options);
  };
  /** The stream up to and including the event that carries this piece, then a reset. */
  function cutAfter(piece: string, pieces: readonly string[] = PIECES): Script {
    const script = client.stream({ pieces });
    const parts = (script.body ?? []).filter(isBytes);
    const at = parts.findIndex((part) => String(part).includes(`${JSON.stringify(piece).slice(0, -1)}"`));
    const length = parts.slice(0, at + 1).reduce((sum, part) => sum + bytesOf(part).byteLength, 0);
    return cutAt(script, length, 'rst', 30);
  }
  const ask = () => lab.ask({ stream: true });
  const text = (answer: { content: Record<string, string> }) => answer.content[client.textSlot];

  test('by prefill: the route is given what was sent, and goes on from there', async () => {
    await start({ second: { prefill: true } });
    lab.first.next(cutAfter(' beta'));
    lab.first.otherwise(client.refusal(500, 'other'));
    lab.second.next(client.stream({ pieces: [' gamma', ' delta.'], tokens: { input: 16, output: 4 } }));
    const { answer, record, attempts, headers } = await ask();
    expect(answer).toMatchObject({ complete: true, error: undefined });
    expect(text(answer)).toBe(TEXT);
    expect(client.prefillOf(lab.second.requests[0]?.json)).toBe('Alpha beta');
    const sent = count('Alpha beta');
    expect(client.boundOf(lab.second.requests[0]?.json)).toBe(200 - sent);
    expect(record).toMatchObject({
      channel: 'first',
      status: 'ok',
      estimated: true,
      input_tokens: 16 - sent,
      output_tokens: sent + 4,
      cost_nano: costAt(MAIN, 16 - sent, sent + 4),
    });
    expect(answer.usage.cost_nano).toBe(record.cost_nano);
    expect(headers.get('x-svc-channel')).toBe('first');
    expect(attempts).toEqual([
      ['first', 'network_error'],
      ['first', 'upstream_error'],
      ['second', 'ok'],
    ]);
    expect(await lab.balance()).toBe(TRIAL - BigInt(record.cost_nano));
  });

  test('by prefill: what was handed over is taken from the dearest of the input', async () => {
    const price = { input: 10, cached_input: 1, cache_write_5m: 12.5, output: 40 };
    await start({ routes: ['first'], first: { prefill: true }, main: { price } });
    lab.first.next(cutAfter(' beta'));
    lab.first.next(client.stream({ pieces: [' gamma', ' delta.'], tokens: { input: 6, cachedInput: 100, output: 4 } }));
    // Long enough that the hold covers what is cached.
    const messages = [{ role: 'user', content: 'word '.repeat(400) }];
    const { answer, record } = await lab.ask({ stream: true, messages });
    expect(text(answer)).toBe(TEXT);
    const sent = count('Alpha beta');
    expect(sent).toBeWithin(1, 6);
    expect(record).toMatchObject({
      input_tokens: 6 - sent,
      cached_input_tokens: 100,
      output_tokens: sent + 4,
      cost_nano: String((6 - sent) * 10_000 + 100 * 1_000 + (sent + 4) * 40_000),
    });
  });

  test('a prefill goes without its trailing white space, which the continuation does not repeat', async () => {
    await start({ first: { prefill: true } });
    lab.first.next(cutAfter(' \n\n', ['Alpha', ' \n\n', 'beta']));
    lab.first.next(client.stream({ pieces: [' ', '\n', '\nbeta', ' gamma'] }));
    const { answer } = await ask();
    expect(client.prefillOf(lab.first.requests[1]?.json)).toBe('Alpha');
    expect(text(answer)).toBe('Alpha \n\nbeta gamma');
    expect(answer.complete).toBe(true);
  });

  test('white space alone is no prefill: the answer is asked for from the start', async () => {
    await start({ first: { prefill: true } });
    lab.first.next(cutAfter('\n\n', ['\n\n', 'Alpha']));
    lab.first.next(client.stream({ pieces: ['\n\n', 'Alpha'] }));
    const { answer } = await ask();
    expect(client.prefillOf(lab.first.requests[1]?.json)).toBeUndefined();
    expect(text(answer)).toBe('\n\nAlpha');
  });

  test('a continuation that has nothing to add is an end, and what was sent is paid', async () => {
    await start({ first: { prefill: true } });
    lab.first.next(cutAfter(' delta.'));
    lab.first.next(client.stream({ pieces: [], tokens: { input: 16, output: 0 } }));
    const { answer, record } = await ask();
    expect(text(answer)).toBe(TEXT);
    expect(answer.complete).toBe(true);
    const sent = count(TEXT);
    expect(record.cost_nano).toBe(costAt(MAIN, 16 - sent, sent));
  });

  test('a route that refuses the prefill answers from the start, and the lower price is paid', async () => {
    await start({ routes: ['first'], hasFallback: true, third: { prefill: true } });
    lab.first.next(cutAfter(' gamma'));
    lab.first.otherwise(client.refusal(500, 'other'));
    lab.third.next(client.refusal(400, 'prefill'), client.stream({ pieces: ['Alpha beta', ' gamma', ' delta.'] }));
    const { answer, record, attempts } = await ask();
    expect(text(answer)).toBe(TEXT);
    expect(answer).toMatchObject({ complete: true, error: undefined });
    expect(attempts).toEqual([
      ['first', 'network_error'],
      ['first', 'upstream_error'],
      ['third', 'request_refused'],
      ['third', 'ok'],
    ]);
    expect(lab.third.requests.map(({ json }) => client.prefillOf(json))).toEqual(['Alpha beta gamma', undefined]);
    expect(record).toMatchObject({ model: 'spare', cost_nano: costAt(SPARE, 11, 7), channel: 'first' });
    if (client.name !== 'messages') expect(answer.models).toEqual(['main', 'spare']);
    expect(lab.gateway.audit()).toEqual([]);
  });

  test('a refused prefill is no try: the only channel answers from the start', async () => {
    await start({ routes: ['first'], first: { prefill: true } });
    lab.first.next(cutAfter(' beta'), client.refusal(400, 'prefill'), client.stream({ pieces: PIECES }));
    const { answer, attempts, record } = await ask();
    expect(text(answer)).toBe(TEXT);
    expect(answer).toMatchObject({ complete: true, error: undefined });
    expect(attempts).toEqual([
      ['first', 'network_error'],
      ['first', 'request_refused'],
      ['first', 'ok'],
    ]);
    expect(record.cost_nano).toBe(costAt(MAIN, 11, 7));
  });

  test('a route that refused the prefill is not given it a second time', async () => {
    await start({ routes: ['first'], hasFallback: true, third: { prefill: true } });
    lab.first.next(cutAfter(' beta'), client.refusal(404, 'other'));
    lab.third.next(client.refusal(400, 'prefill'), client.refusal(500, 'other'), client.stream({ pieces: PIECES }));
    const { answer, attempts } = await ask();
    expect(text(answer)).toBe(TEXT);
    expect(attempts.map(([, outcome]) => outcome)).toEqual([
      'network_error',
      'route_missing',
      'request_refused',
      'upstream_error',
      'ok',
    ]);
    expect(lab.third.requests.map(({ json }) => client.prefillOf(json))).toEqual(['Alpha beta', undefined, undefined]);
  });

  test('a thinking model is given no prefill', async () => {
    await start({ routes: ['first'], first: { prefill: true } });
    lab.first.next(cutAfter(' beta'), client.stream({ pieces: PIECES }));
    const fields = {
      chat: { reasoning_effort: 'low' },
      messages: { max_tokens: 2_000, thinking: { type: 'adaptive' } },
      responses: { reasoning: { effort: 'low' } },
      gemini: { generationConfig: { maxOutputTokens: 200, thinkingConfig: { thinkingLevel: 'low' } } },
    }[client.name];
    const { answer } = await lab.ask({ stream: true, ...fields });
    expect(lab.first.requests.map(({ json }) => client.prefillOf(json))).toEqual([undefined, undefined]);
    expect(text(answer)).toBe(TEXT);
  });

  test('an answer whose form is bound is given no prefill: its form would begin anew', async () => {
    await start({ routes: ['first'], first: { prefill: true } });
    lab.first.next(cutAfter(' beta'), client.stream({ pieces: PIECES }));
    const schema = { type: 'object', properties: {}, required: [], additionalProperties: false };
    const fields = {
      chat: { response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } },
      messages: { output_config: { format: { type: 'json_schema', schema } } },
      responses: { text: { format: { type: 'json_schema', name: 'a', schema } } },
      gemini: { generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema } },
    }[client.name];
    const { answer } = await lab.ask({ stream: true, ...fields });
    expect(lab.first.requests.map(({ json }) => client.prefillOf(json))).toEqual([undefined, undefined]);
    expect(text(answer)).toBe(TEXT);
  });

  test('a dearer model that goes on costs what the first would have', async () => {
    await start({ routes: ['first'], hasFallback: true, main: { price: { input: 1, output: 2 } } });
    lab.first.next(cutAfter(' gamma'));
    lab.first.otherwise(client.refusal(500, 'other'));
    lab.third.next(client.stream({ pieces: PIECES }));
    const { answer, record } = await ask();
    expect(text(answer)).toBe(TEXT);
    expect(record).toMatchObject({ model: 'main', cost_nano: String(11 * 1_000 + 7 * 2_000) });
  });

  test('of two models at one price, the one that finished is named', async () => {
    await start({ routes: ['first'], hasFallback: true, main: { price: { input: 5, output: 20 } } });
    lab.first.next(cutAfter(' gamma'));
    lab.first.otherwise(client.refusal(500, 'other'));
    lab.third.next(client.stream({ pieces: PIECES }));
    const { record } = await ask();
    expect(record).toMatchObject({ model: 'spare', cost_nano: costAt(SPARE, 11, 7) });
  });

  test('a second run that says something else: a clear error, and nothing to pay', async () => {
    await start();
    lab.first.next(cutAfter(' gamma'));
    lab.first.otherwise(client.stream({ pieces: ['Alpha', ' beta', ' GAMMA', ' delta.'] }));
    lab.second.otherwise(client.stream({ pieces: ['Something', ' else', ' entirely, and long enough.'] }));
    const { answer, record, attempts } = await ask();
    expect(text(answer)).toBe('Alpha beta gamma');
    expect(answer.complete).toBe(false);
    expect(answer.error.message).toContain('Retry');
    expect(record).toMatchObject({ status: 'upstream_failed', cost_nano: '0', channel: 'first' });
    expect(record.first_token_ms).toBeWithin(0, record.total_ms + 1);
    expect(attempts).toEqual([
      ['first', 'network_error'],
      ['first', 'mismatch'],
      ['second', 'mismatch'],
    ]);
    expect(await lab.balance()).toBe(TRIAL);
  });

  test('a second run that is shorter than what was sent is another answer', async () => {
    await start();
    lab.first.next(cutAfter(' gamma'));
    lab.first.otherwise(client.stream({ pieces: ['Alpha', ' beta'] }));
    lab.second.otherwise(client.refusal(500, 'other'));
    const { answer, record, attempts, text: sent } = await ask();
    expect(text(answer)).toBe('Alpha beta gamma');
    expect(answer.complete).toBe(false);
    expect(answer.error).toBeDefined();
    expect(sent).not.toMatch(ENDS);
    expect(attempts).toContainEqual(['first', 'mismatch']);
    expect(record).toMatchObject({ status: 'upstream_failed', cost_nano: '0' });
  });

  test('a text that says mismatch is a text', async () => {
    await start();
    lab.first.next(cutAfter(' beta'));
    lab.first.otherwise(client.stream({ pieces: ['Alpha', ' beta', 'mismatch', '.'] }));
    const { answer, attempts } = await ask();
    expect(text(answer)).toBe('Alpha betamismatch.');
    expect(attempts.at(-1)).toEqual(['first', 'ok']);
  });

  test('one mismatch does not end it while another channel may match', async () => {
    await start();
    lab.first.next(cutAfter(' gamma'));
    lab.first.otherwise(client.stream({ pieces: ['Another'] }));
    lab.second.otherwise(client.stream({ pieces: ['Alpha beta gamma delta.'] }));
    const { answer, attempts } = await ask();
    expect(text(answer)).toBe(TEXT);
    expect(attempts.at(-1)).toEqual(['second', 'ok']);
  });

  test('broken twice, resumed twice', async () => {
    await start();
    lab.first.next(cutAfter('Alpha'), cutAfter(' gamma'));
    lab.second.next(client.stream({ pieces: PIECES }));
    const { answer, attempts, record } = await ask();
    expect(text(answer)).toBe(TEXT);
    expect(attempts).toEqual([
      ['first', 'network_error'],
      ['first', 'network_error'],
      ['second', 'ok'],
    ]);
    expect(record.cost_nano).toBe(costAt(MAIN, 11, 7));
  });

  test('without usage, a prefilled run is counted here', async () => {
    await start({ first: { prefill: true } });
    lab.first.next(cutAfter(' beta'));
    lab.first.next(client.stream({ pieces: [' gamma', ' delta.'], tokens: null }));
    const { answer, record }: { answer: Answer; record: Answer } = await ask();
    expect(text(answer)).toBe(TEXT);
    expect(record.estimated).toBe(true);
    expect(record.output_tokens).toBe(count('Alpha beta') + count(' gamma delta.'));
    expect(record.input_tokens).toBeGreaterThan(0);
  });

  if (client.name === 'messages') {
    test('a prefilled run that reports only its input: the prefill is output, and no input', async () => {
      await start({ first: { prefill: true } });
      const script = client.stream({ pieces: [' gamma', ' delta.'], tokens: { input: 16, output: 4 } });
      const body = (script.body ?? []).map((part) => String(part).replace(',"usage":{"output_tokens":4}', ''));
      lab.first.next(cutAfter(' beta'), { ...script, body });
      const { answer, record } = await ask();
      expect(text(answer)).toBe(TEXT);
      const sent = count('Alpha beta');
      expect(record).toMatchObject({
        estimated: true,
        input_tokens: 16 - sent,
        output_tokens: sent + count(' gamma delta.'),
      });
    });
  }
});

test.each([
  ['a picture', { content: '', images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } }] }],
  ['a sound', { audio: { id: 'audio_1', data: 'QUJD', transcript: 'Meow' } }],
])('%s was sent: no other run makes it again, so none is asked for', async (_, delta) => {
  const client = wireClient('chat');
  lab = await startLab(client, { second: { prefill: true } });
  const chunk = sseText(JSON.stringify({ id: 'x', choices: [{ index: 0, delta, finish_reason: null }] }));
  lab.first.next(sseScript([chunk]));
  const { answer, record, attempts, text } = await lab.ask({ stream: true });
  expect(text).toContain('QUJD');
  expect(answer.error).toMatchObject({ code: 'upstream_failed' });
  expect(attempts).toEqual([['first', 'cut']]);
  expect([lab.first.requests.length, lab.second.requests.length]).toEqual([1, 0]);
  expect(record).toMatchObject({ status: 'upstream_failed', cost_nano: '0' });
  expect(await lab.balance()).toBe(TRIAL);
});
