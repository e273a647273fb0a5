// The table of docs/billing.md, row by row: exported once, run by every store.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../src/kit/clock.ts';
import { weighTokens } from '../../src/kit/tokens.ts';
import { messageAnswer, messageStream } from '../support/anthropic-messages.ts';
import { createGate, eventually, type Gate } from '../support/eventually.ts';
import { type FormField, postForm } from '../support/forms.ts';
import { geminiAnswer } from '../support/gemini.ts';
import { type Asked, costAt, type Lab, type LabOptions, MAIN, SPARE, startLab, TRIAL } from '../support/lab.ts';
import { IS_LONG_RUN } from '../support/long-run.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { chatAnswer, chatStream, jsonScript, sseScript, sseText } from '../support/openai-chat.ts';
import { whilePassing } from '../support/pass-time.ts';
import { createReadOnClock } from '../support/read-on-clock.ts';
import { wavOf } from '../support/recordings.ts';
import { bytesOf, cutAt, isBytes, type Script } from '../support/script.ts';
import { createWorkplace } from '../support/start-process.ts';
import { openaiChannel, testDocument } from '../support/test-document.ts';
import { startUpstream } from '../support/upstream.ts';
import { WIRE_CLIENTS, type WireClient } from '../support/wire-clients.ts';
import type { MoneyStore } from './money-races.ts';

const PEPPER = 'a pepper for bills only';
const PIECES = ['Alpha', ' beta', ' gamma.'];
const count = (text: string) => Math.round(weighTokens(text));

type Row = (client: WireClient) => Promise<void>;

/** One for each way in which a call ends in the store, and for each unit that is billed. */
const ENDINGS = [
  'the gateway refused the call',
  'every channel failed before the first byte',
  'the gateway shut down and cut the stream',
  'the answer ended without output',
  'a fallback model continued the stream',
  'you disconnected mid-answer',
  'the answer was delivered',
  'the upstream reported more than was held',
  'a rerank whose searches or tokens were not reported',
  'speech that is priced by characters',
  'a transcript without a report',
  'the stream reached the limit of one hour',
  'your daily allowance for calls without a charge is used up',
  'you disconnected after a part of an image',
  'the gateway crashed during the call',
];

export interface BillingOptions {
  /** Only `ENDINGS`, with one kind of client: for a store behind a relay that is tested with all rows elsewhere. */
  onlyEndings?: boolean;
}

export function describeFailureBilling(
  name: string,
  open: () => Promise<MoneyStore>,
  { onlyEndings = false }: BillingOptions = {},
): void {
  let store: MoneyStore;
  let lab: Lab | undefined;

  const start = async (client: WireClient, options: LabOptions = {}): Promise<Lab> => {
    lab = await startLab(client, { env: { SECRETS_PEPPER: PEPPER, ...store.env }, ...options });
    return lab;
  };
  async function expectPaid(on: Lab, cost: string, fields: Record<string, unknown> = {}): Promise<void> {
    const records = await on.records();
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({ cost_nano: cost, ...fields });
    expect(await on.balance()).toBe(TRIAL - BigInt(cost));
    const [entries] = [await on.gateway.get(`/api/receipts/${records[0].request_id}`, on.account.key)];
    const lines = entries.lines.reduce(
      (sum: bigint, { amount_nano }: { amount_nano: string }) => sum + BigInt(amount_nano),
      0n,
    );
    expect(lines).toBe(BigInt(cost));
  }
  /** The stream up to the event with this piece, then a reset. */
  function brokenAfter(client: WireClient, piece: string): Script {
    const script = client.stream({ pieces: PIECES });
    const parts = (script.body ?? []).filter(isBytes);
    const at = parts.findIndex((part) => String(part).includes(JSON.stringify(piece)));
    return cutAt(
      script,
      parts.slice(0, at + 1).reduce((sum, part) => sum + bytesOf(part).byteLength, 0),
      'rst',
      30,
    );
  }
  /** Reads until this piece is there. */
  async function readUntil(response: Response, piece: string): Promise<void> {
    const decoder = new TextDecoder();
    let text = '';
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      if (text.includes(JSON.stringify(piece))) return;
    }
    throw new Error(`the stream ended before ${piece}`);
  }
  async function leaveAfter(on: Lab, piece: string): Promise<void> {
    const leaving = new AbortController();
    await readUntil(await on.open({ stream: true }, leaving.signal), piece);
    leaving.abort();
  }

  /** Hangs up when the upstream was asked for a whole answer, which waits at the gate. */
  async function leaveWhole(client: WireClient, from: Clock): Promise<{ on: Lab; gate: Gate }> {
    const { clock, timers } = createReadOnClock(from);
    const on = await start(client, { clock, main: { routes: [{ channel: 'first', model: 'o3' }] } });
    const gate = createGate();
    const { body = [], ...rest } = client.whole({ tokens: { input: 13, output: 900, reasoning: 800 } });
    on.first.next({ ...rest, framing: 'chunked', body: [gate.opened, ...body] });
    const leaving = new AbortController();
    const asking = on.open({ max_tokens: 950 }, leaving.signal).catch(() => undefined);
    await on.first.request(0);
    const before = timers();
    leaving.abort();
    await asking;
    await eventually('the answer to be waited for', () => timers() > before);
    return { on, gate };
  }

  const LONG = ['Alpha', ...Array.from({ length: 60 }, () => ' and more')];
  /** Hangs up after the second piece of a model that reasons unseen; the upstream then says the rest. */
  async function leaveReasoning(
    client: WireClient,
    script: Script,
    fields: Record<string, unknown> = {},
  ): Promise<Lab> {
    const { clock, timers } = createReadOnClock(systemClock);
    const on = await start(client, { clock, main: { routes: [{ channel: 'first', model: 'o3' }] } });
    const parts = script.body ?? [];
    const at = parts.findIndex((part) => String(part).includes(' and more')) + 1;
    const gate = createGate();
    on.first.next({ ...script, body: [...parts.slice(0, at), gate.opened, ...parts.slice(at)] });
    const leaving = new AbortController();
    await readUntil(await on.open({ stream: true, max_tokens: 950, ...fields }, leaving.signal), ' and more');
    const before = timers();
    leaving.abort();
    await eventually('the stream to be read on', () => timers() > before);
    gate.open();
    await eventually('the record', async () => (await on.records()).length > 0);
    return on;
  }

  const rows: Record<string, Row> = {
    'the gateway refused the call': async (client) => {
      const on = await start(client);
      for (const fields of [{ model: 'no-such' }, { messages: [] }, { model: 'main', max_tokens: 'x' }]) {
        const response = await on.open(fields);
        expect(response.status).toBeWithin(400, 500);
      }
      expect(await on.records()).toEqual([]);
      expect(await on.balance()).toBe(TRIAL);
      expect([...on.first.requests, ...on.second.requests]).toEqual([]);
    },
    'every channel failed before the first byte': async (client) => {
      const on = await start(client);
      on.first.otherwise(client.refusal(500, 'other'));
      on.second.otherwise(client.refusal(500, 'other'));
      expect((await on.ask({ stream: true })).status).toBe(502);
      await expectPaid(on, '0', { status: 'upstream_failed', channel: null });
    },
    'some attempts failed before one succeeded': async (client) => {
      const on = await start(client);
      on.first.otherwise(client.refusal(500, 'other'));
      on.second.next(client.whole());
      const { attempts } = await on.ask();
      expect(attempts).toHaveLength(3);
      await expectPaid(on, costAt(MAIN, 11, 7), { channel: 'second' });
    },
    'the stream broke and could not be resumed': async (client) => {
      const on = await start(client);
      on.first.next(brokenAfter(client, ' beta'));
      on.first.otherwise(client.refusal(500, 'other'));
      on.second.otherwise(client.refusal(500, 'other'));
      expect((await on.ask({ stream: true })).answer.error).toBeDefined();
      await expectPaid(on, '0', { status: 'upstream_failed' });
    },
    'the gateway shut down and cut the stream': async (client) => {
      const on = await start(client);
      on.first.next({
        ...brokenAfter(client, ' beta'),
        cut: { after: cutLength(brokenAfter(client, ' beta')), by: 'stall' },
      });
      const response = await on.open({ stream: true });
      const text = response.text();
      expect(response.headers.get('x-svc-channel')).toBe('first');
      await on.gateway.gateway.drain(0);
      expect(client.assemble(await text).error).toBeDefined();
      const again = await startLab(client, {
        env: { SECRETS_PEPPER: PEPPER, ...store.env },
        dataDir: on.gateway.dataDir,
      });
      const { data } = await again.gateway.get('/api/usage', on.account.key);
      expect(data).toHaveLength(1);
      expect(data[0]).toMatchObject({ cost_nano: '0', status: 'unavailable' });
      expect(await again.gateway.get('/api/me', on.account.key)).toMatchObject({ balance_ntd: 1, held_nano: '0' });
      await again.stop();
    },
    'the answer ended without output': async (client) => {
      const on = await start(client);
      on.first.next(client.stream({ pieces: [] }));
      expect((await on.ask({ stream: true })).answer.complete).toBe(true);
      await expectPaid(on, '0', { status: 'ok' });
    },
    'the upstream ended with an error and no output': async (client) => {
      const on = await start(client);
      const eventError = 'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"no"}}\n\n';
      const errors = {
        chat: sseText('{"choices":[{"index":0,"delta":{},"finish_reason":"error"}]}'),
        messages: eventError,
        responses: eventError,
        gemini: sseText('{"error":{"code":500,"message":"no","status":"INTERNAL"}}'),
      };
      const script = { ...client.stream(), body: [errors[client.name]] };
      on.first.otherwise(script);
      on.second.otherwise(script);
      expect((await on.ask({ stream: true })).status).toBe(502);
      await expectPaid(on, '0');
    },
    'the model refused without output': async (client) => {
      const on = await start(client);
      const usage = { input_tokens: 11, output_tokens: 2 };
      const refused = {
        chat: chatAnswer({ pieces: [], finish: 'content_filter' }),
        messages: jsonScript(200, {
          ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 's', content: [] },
          ...{ stop_reason: 'refusal', usage },
        }),
        responses: jsonScript(200, {
          ...{ id: 'resp_1', object: 'response', model: 's', status: 'incomplete', output: [] },
          ...{ incomplete_details: { reason: 'content_filter' }, usage },
        }),
        gemini: geminiAnswer({ pieces: [], finish: 'SAFETY' }),
      };
      on.first.next(refused[client.name]);
      expect((await on.ask()).status).toBe(200);
      await expectPaid(on, '0', { status: 'ok' });
    },
    'reasoning used up the output limit before any text': async (client) => {
      const on = await start(client);
      const usage = { prompt_tokens: 11, completion_tokens: 50, completion_tokens_details: { reasoning_tokens: 50 } };
      const counts = { input_tokens: 11, output_tokens: 50 };
      const cutShort = {
        chat: chatAnswer({ pieces: [], finish: 'length', usage }),
        messages: jsonScript(200, {
          ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 's', content: [], stop_reason: 'max_tokens' },
          usage: { ...counts, output_tokens_details: { thinking_tokens: 50 } },
        }),
        responses: jsonScript(200, {
          ...{ id: 'resp_1', object: 'response', model: 's', status: 'incomplete', output: [] },
          ...{ incomplete_details: { reason: 'max_output_tokens' } },
          usage: { ...counts, output_tokens_details: { reasoning_tokens: 50 } },
        }),
        gemini: geminiAnswer({
          ...{ pieces: [], finish: 'MAX_TOKENS' },
          usage: { promptTokenCount: 11, thoughtsTokenCount: 50, totalTokenCount: 61 },
        }),
      };
      on.first.next(cutShort[client.name]);
      expect((await on.ask()).status).toBe(200);
      await expectPaid(on, costAt(MAIN, 11, 50), { reasoning_tokens: 50 });
    },
    'the stream broke, and a retry repeated and finished it': async (client) => {
      const on = await start(client);
      on.first.next(brokenAfter(client, ' beta'), client.stream({ pieces: PIECES, tokens: { input: 13, output: 9 } }));
      expect((await on.ask({ stream: true })).answer.complete).toBe(true);
      await expectPaid(on, costAt(MAIN, 13, 9), { estimated: false, input_tokens: 13, output_tokens: 9 });
    },
    'the stream broke, and another route continued it': async (client) => {
      const on = await start(client, { first: { prefill: true } });
      on.first.next(
        brokenAfter(client, ' beta'),
        client.stream({ pieces: [' gamma.'], tokens: { input: 20, output: 3 } }),
      );
      expect((await on.ask({ stream: true })).answer.content[client.textSlot]).toBe(PIECES.join(''));
      const handed = count('Alpha beta');
      await expectPaid(on, costAt(MAIN, 20 - handed, handed + 3), { estimated: true });
    },
    'a fallback model continued the stream': async (client) => {
      const on = await start(client, { routes: ['first'], hasFallback: true });
      on.first.next(brokenAfter(client, ' beta'));
      on.first.otherwise(client.refusal(500, 'other'));
      on.third.next(client.stream({ pieces: PIECES }));
      expect((await on.ask({ stream: true })).answer.complete).toBe(true);
      await expectPaid(on, costAt(SPARE, 11, 7), { model: 'spare', channel: 'first' });
    },
    'you disconnected before the first byte': async (client) => {
      const on = await start(client);
      on.first.next(cutAt(client.stream(), 'head', 'stall'));
      const leaving = new AbortController();
      const call = on.open({ stream: true }, leaving.signal);
      const seen = await on.first.request(0);
      leaving.abort();
      await expect(call).rejects.toThrow();
      await eventually('the upstream to be left', () => seen.abortedAt);
      await eventually('the record', async () => (await on.records()).length > 0);
      await expectPaid(on, '0', { status: 'client_gone' });
    },
    'you disconnected before a non-streamed answer, and hidden reasoning is possible': async (client) => {
      const { on, gate } = await leaveWhole(client, systemClock);
      gate.open();
      await eventually('the record', async () => (await on.records()).length > 0);
      await expectPaid(on, costAt(MAIN, 13, 800), { status: 'client_gone', estimated: false, reasoning_tokens: 800 });
    },
    'you disconnected before a non-streamed answer, hidden reasoning is possible, and no answer came within 30 s':
      async (client) => {
        const clock = createManualClock();
        const { on } = await leaveWhole(client, clock);
        // In steps: a node that sleeps longer than its lease may be taken for dead.
        await whilePassing(
          clock,
          eventually('the record', async () => (await on.records()).length > 0),
        );
        await expectPaid(on, '0', { status: 'client_gone' });
      },
    'you disconnected mid-answer': async (client) => {
      const on = await start(client);
      const script = brokenAfter(client, ' beta');
      on.first.next({ ...script, cut: { after: cutLength(script), by: 'stall' } });
      await leaveAfter(on, ' beta');
      const seen = await on.first.request(0);
      await eventually('the upstream to be left', () => seen.abortedAt);
      await eventually('the record', async () => (await on.records()).length > 0);
      const [{ input_tokens, cost_nano }] = (await on.records()) as [{ input_tokens: number; cost_nano: string }];
      expect(input_tokens).toBeGreaterThan(0);
      if (client.name === 'messages') expect(input_tokens).toBe(11);
      expect(cost_nano).toBe(costAt(MAIN, input_tokens, count('Alpha beta')));
      await expectPaid(on, cost_nano, { status: 'client_gone', estimated: true });
    },
    'you disconnected mid-answer, on a channel that is read to its end': async (client) => {
      const { clock, timers } = createReadOnClock(systemClock);
      const on = await start(client, { clock, first: { drain_on_abort: true } });
      const pieces = ['Alpha', ...Array.from({ length: 60 }, () => ' and more')];
      const script = client.stream({ pieces, tokens: { input: 13, output: 500 } });
      const parts = script.body ?? [];
      const at = parts.findIndex((part) => String(part).includes(' and more')) + 1;
      const gate = createGate();
      on.first.next({ ...script, body: [...parts.slice(0, at), gate.opened, ...parts.slice(at)] });
      const leaving = new AbortController();
      await readUntil(await on.open({ stream: true }, leaving.signal), ' and more');
      const before = timers();
      leaving.abort();
      await eventually('the stream to be read on', () => timers() > before);
      gate.open();
      const seen = await on.first.request(0);
      await eventually('the script to end', () => seen.ended);
      expect(seen.abortedAt).toBeUndefined();
      await eventually('the record', async () => (await on.records()).length > 0);
      const usage = { input_tokens: 13, output_tokens: count('Alpha and more') };
      await expectPaid(on, costAt(MAIN, 13, usage.output_tokens), { status: 'client_gone', ...usage });
    },
    'the answer was delivered': async (client) => {
      const on = await start(client);
      on.first.next(client.stream({ pieces: PIECES }), client.whole());
      expect((await on.ask({ stream: true })).answer.complete).toBe(true);
      await expectPaid(on, costAt(MAIN, 11, 7), { estimated: false });
    },
    'the upstream reported zero tokens although there was output': async (client) => {
      const on = await start(client);
      on.first.next(client.stream({ pieces: PIECES, tokens: { input: 0, output: 0 } }));
      const { record }: Asked = await on.ask({ stream: true });
      expect(record.output_tokens).toBe(count(PIECES.join('')));
      expect(record.input_tokens).toBeGreaterThan(0);
      await expectPaid(on, costAt(MAIN, record.input_tokens, record.output_tokens), { estimated: true });
    },
    'the upstream went far beyond its output limit': async (client) => {
      const on = await start(client);
      const pieces = Array.from({ length: 400 }, (_, index) => ` word${index}`);
      on.first.next(client.stream({ pieces, tokens: null }));
      const text = await (await on.open({ stream: true, max_tokens: 20 })).text();
      const ends = {
        chat: '"finish_reason":"length"',
        messages: '"stop_reason":"max_tokens"',
        responses: '"incomplete_details":{"reason":"max_output_tokens"}',
        gemini: '"finishReason":"MAX_TOKENS"',
      };
      expect(text).toContain(ends[client.name]);
      expect(text).not.toContain('word399');
      const [record] = await on.records();
      expect(record.output_tokens).toBe(20);
      await expectPaid(on, costAt(MAIN, record.input_tokens, 20), { estimated: true, status: 'ok' });
    },
    'reasoning was reported, but no text came': async (client) => {
      const on = await start(client);
      on.first.next(client.stream({ pieces: [], tokens: { input: 11, output: 50, reasoning: 50 } }));
      await on.ask({ stream: true });
      await expectPaid(on, costAt(MAIN, 11, 50), { reasoning_tokens: 50 });
    },
    'you disconnected mid-answer, and hidden reasoning is possible': async (client) => {
      const usage = { input: 13, output: 900, reasoning: 800 };
      const on = await leaveReasoning(client, client.stream({ pieces: LONG, tokens: usage }));
      const output_tokens = 800 + count('Alpha and more');
      await expectPaid(on, costAt(MAIN, 13, output_tokens), { status: 'client_gone', output_tokens, estimated: false });
    },
    'you disconnected mid-answer, hidden reasoning is possible, and no report came': async (client) => {
      const on = await leaveReasoning(client, client.stream({ pieces: LONG, tokens: null }));
      const [{ input_tokens, output_tokens }] = (await on.records()) as [
        { input_tokens: number; output_tokens: number },
      ];
      const visible = count('Alpha and more');
      expect(output_tokens).toBeWithin(visible, visible + 60);
      await expectPaid(on, costAt(MAIN, input_tokens, output_tokens), { status: 'client_gone', estimated: true });
    },
    'the upstream reported no usage': async (client) => {
      const on = await start(client);
      on.first.next(client.stream({ pieces: PIECES, tokens: null }));
      const { record }: Asked = await on.ask({ stream: true });
      expect(record.output_tokens).toBe(count(PIECES.join('')));
      await expectPaid(on, costAt(MAIN, record.input_tokens, record.output_tokens), { estimated: true });
    },
    'the upstream reported more than was held': async (client) => {
      const on = await start(client);
      on.first.next(client.whole({ tokens: { input: 100_000, output: 100_000 } }));
      await on.ask({ max_tokens: 16 });
      const [{ cost_nano }] = (await on.records()) as [{ cost_nano: string }];
      expect(BigInt(cost_nano)).toBeLessThan(100_000n * MAIN.input);
      expect(on.gateway.log.alarms('usage_above_hold')).toHaveLength(1);
      await expectPaid(on, cost_nano);
    },
  };

  /** Rows that one kind of client alone can meet. */
  const chatRows: Record<string, () => Promise<void>> = {
    'an image answer without an image': async () => {
      const on = await startPainter();
      on.first.next(jsonScript(200, { created: 1, data: [{ revised_prompt: 'x' }] }));
      await callOther(on, '/v1/images/generations', { model: 'painter', prompt: 'a cat' });
      await expectPaid(on, '0', { images: 0 });
    },
    'a rerank answer without a result': async () => {
      const on = await startPainter();
      on.first.next(jsonScript(200, { results: [], meta: { billed_units: { search_units: 1 } } }));
      await callOther(on, '/v1/rerank', { model: 'ranker', query: 'q', documents: ['a'] });
      await expectPaid(on, '0', { searches: 1 });
    },
    'a rerank whose searches or tokens were not reported': async () => {
      const on = await startPainter();
      on.first.next(jsonScript(200, { results: [{ index: 0, relevance_score: 1 }] }));
      await callOther(on, '/v1/rerank', { model: 'ranker', query: 'q', documents: ['a'] });
      await expectPaid(on, '65000000', { searches: 1, estimated: true });
    },
    'speech that is priced by characters': async () => {
      const on = await startPainter();
      on.first.next({ status: 200, headers: { 'content-type': 'audio/mpeg' }, body: ['audio'] });
      await callOther(on, '/v1/audio/speech', { model: 'speaker', input: '你好 👋', voice: 'alloy' });
      await expectPaid(on, '400000', { characters: 4 });
    },
    'spoken audio broke off': async () => {
      const on = await startPainter();
      const audio: Script = { status: 200, headers: { 'content-type': 'audio/mpeg' }, body: ['half', 'half'] };
      on.first.next(cutAt(audio, 5, 'fin', 20));
      const body = { model: 'speaker', input: 'Hi', voice: 'alloy' };
      const response = await on.gateway.call('/v1/audio/speech', { key: on.account.key, body });
      await expect(response.arrayBuffer()).rejects.toThrow();
      await expectPaid(on, '0', { status: 'upstream_failed' });
    },
    'you disconnected after a part of spoken audio': async () => {
      const on = await startPainter();
      const headers = { 'content-type': 'audio/mpeg' };
      const gate = createGate();
      on.first.next({ status: 200, headers, body: ['first', gate.opened, 'second'], framing: 'chunked' });
      await leaveSpeech(on, 'speaker');
      await eventually('the record', async () => (await on.records()).length > 0);
      gate.open();
      await expectPaid(on, '200000', { status: 'client_gone', characters: 2 });
    },
    'you disconnected after a part of spoken audio that is priced by tokens': async () => {
      const on = await startPainter();
      const gate = createGate();
      const part = { type: 'speech.audio.delta', audio: 'QUJD' };
      const done = { type: 'speech.audio.done', usage: { input_tokens: 5, output_tokens: 70 } };
      on.first.next(sseScript([sseText(JSON.stringify(part)), gate.opened, sseText(JSON.stringify(done))]));
      await leaveSpeech(on, 'token-speaker');
      await Bun.sleep(50);
      gate.open();
      await eventually('the record', async () => (await on.records()).length > 0);
      await expectPaid(on, costAt(MAIN, 5, 70), { status: 'client_gone' });
    },
    embeddings: async () => {
      const on = await startPainter();
      on.first.next(
        jsonScript(200, { object: 'list', data: [{ index: 0, embedding: [0.5] }], usage: { prompt_tokens: 4 } }),
      );
      await callOther(on, '/v1/embeddings', { model: 'vectors', input: 'a cat' });
      await expectPaid(on, (4n * MAIN.input).toString(), { input_tokens: 4 });
    },
    'fewer or more embeddings or verdicts than texts': async () => {
      const on = await startPainter();
      const data = [0, 1].map((index) => ({ index, embedding: [0.5] }));
      const script = jsonScript(200, { object: 'list', data, usage: { prompt_tokens: 4 } });
      on.first.next(script, script);
      const body = { model: 'vectors', input: 'a cat' };
      const response = await on.gateway.call('/v1/embeddings', { key: on.account.key, body });
      expect(response.status).toBe(502);
      await expectPaid(on, '0', { status: 'upstream_failed' });
    },
    'a transcript without the segments that `srt` and `vtt` need': async () => {
      const on = await startPainter();
      const script = jsonScript(200, { text: 'Good morning.', duration: 9.5 });
      on.first.next(script, script);
      const fields: FormField[] = [
        ['model', 'listener'],
        ['response_format', 'srt'],
        ['file', new File([wavOf(9.5)], 'call.wav')],
      ];
      const response = await postForm(on.gateway, '/v1/audio/transcriptions', fields, { key: on.account.key });
      expect(response.status).toBe(502);
      await expectPaid(on, '0', { status: 'upstream_failed' });
    },
    'a transcript without a report': async () => {
      const on = await startPainter();
      on.first.next(jsonScript(200, { text: 'Good morning.' }));
      const fields: FormField[] = [
        ['model', 'listener'],
        ['file', new File([wavOf(9.5)], 'call.wav')],
      ];
      const response = await postForm(on.gateway, '/v1/audio/transcriptions', fields, { key: on.account.key });
      expect(response.status).toBe(200);
      await expectPaid(on, '10000000', { seconds: 10, estimated: true });
    },
    'you only warmed the prompt cache (`max_tokens: 0`)': async () => {
      const on = await start(messages);
      const usage = { input_tokens: 3, cache_creation_input_tokens: 8, output_tokens: 0 };
      on.first.next(messageAnswer({ pieces: [], stop: 'max_tokens', usage }));
      expect((await on.ask({ max_tokens: 0 })).status).toBe(200);
      await expectPaid(on, costAt(MAIN, 11, 0), { input_tokens: 3, cache_write_5m_tokens: 8 });
    },
    'Claude paused the answer, and the gateway had it continue': async () => {
      const on = await start({ ...chat, channel: messages.channel });
      const usage = { input_tokens: 20, output_tokens: 4 };
      on.first.next(messageAnswer({ stop: 'pause_turn' }), messageAnswer({ usage }));
      expect((await on.ask()).json.choices[0].finish_reason).toBe('stop');
      await expectPaid(on, costAt(MAIN, 31, 11), { estimated: false });
    },
    'Claude paused the answer, and the next turn was refused or broke off': async () => {
      const on = await start({ ...chat, channel: messages.channel });
      on.first.next(messageStream({ stop: 'pause_turn' }), messages.refusal(400, 'other'));
      const refused = await on.ask({ stream: true });
      expect(refused.answer).toMatchObject({ finish: 'length', complete: true });
      expect(refused.record).toMatchObject({ estimated: false, cost_nano: costAt(MAIN, 11, 7) });
      on.first.next(messageStream({ stop: 'pause_turn' }), brokenAfter(messages, ' beta'));
      const broken = await on.ask({ stream: true });
      expect(broken.answer).toMatchObject({ finish: 'length', complete: true });
      const cost_nano = costAt(MAIN, 22, broken.record.output_tokens);
      expect(broken.record).toMatchObject({ estimated: true, input_tokens: 22, cost_nano });
      expect(broken.record.output_tokens).toBeGreaterThanOrEqual(8);
    },
    'a stop sequence that the gateway itself watches for ended the answer': async () => {
      const on = await start(messages, { channels: { kind: 'openai' } });
      const stop_sequences = ['S1', 'S2', 'S3', 'S4', ' gamma'];
      on.first.next(chatAnswer({ pieces: PIECES }));
      const whole = await on.ask({ stop_sequences });
      expect(whole.json.content).toMatchObject([{ text: 'Alpha beta' }]);
      expect(whole.record).toMatchObject({ estimated: false, cost_nano: costAt(MAIN, 11, count('Alpha beta')) });
      on.first.next(chatStream({ pieces: PIECES }));
      const { answer, record } = await on.ask({ stop_sequences, stream: true });
      expect(answer.content[messages.textSlot]).toBe('Alpha beta');
      const cost_nano = costAt(MAIN, record.input_tokens, count('Alpha beta'));
      expect(record).toMatchObject({ estimated: true, cost_nano });
    },
    'the stream reached the limit of one hour': async () => {
      const clock = createManualClock();
      const on = await start(chat, { clock, channels: { timeouts: { total_ms: 600_000, idle_ms: 600_000 } } });
      const gates = Array.from({ length: 10 }, createGate);
      const script = chat.stream({ pieces: ['Alpha', ...gates.map(() => ' beta')], tokens: null });
      const parts = script.body ?? [];
      const from = parts.findIndex((part) => String(part).includes(' beta'));
      const slowly = parts.slice(from).flatMap((part, index) => (gates[index] ? [gates[index].opened, part] : [part]));
      on.first.next({ ...script, body: [...parts.slice(0, from), ...slowly] });
      const response = await on.open({ stream: true });
      let text = '';
      const reading = (async () => {
        const decoder = new TextDecoder();
        for await (const bytes of response.body ?? []) text += decoder.decode(bytes, { stream: true });
      })();
      // In steps, each with an answer of the store, so that renewals of the node's lease keep up.
      const pass = async (ms: number) => {
        for (let left = ms; left > 0; left -= 9_000) {
          await clock.advance(Math.min(left, 9_000));
          await on.gateway.get('/api/me', on.account.key);
        }
      };
      const words = () => text.split(JSON.stringify(' beta')).length - 1;
      // Far longer than the time of a try: what goes on delivering is not cut.
      for (const [index, gate] of gates.slice(0, 9).entries()) {
        await pass(390_000);
        gate.open();
        await eventually('the next word', () => words() > index);
      }
      await pass(99_000);
      await reading;
      const answer = chat.assemble(text);
      expect(answer.error).toMatchObject({ message: expect.stringContaining('one hour') });
      expect(text).not.toContain('Nothing was charged');
      expect(on.second.requests).toEqual([]);
      // A database that has not kept up with the clock is asked again later: time must go on.
      let isClosed = false;
      const closing = eventually('the record', async () => (await on.records())?.[0]).finally(() => {
        isClosed = true;
      });
      while (!isClosed) {
        await clock.advance(1_000);
        await Bun.sleep(5);
      }
      const { input_tokens, output_tokens } = (await closing) as { input_tokens: number; output_tokens: number };
      expect(output_tokens).toBe(count(`Alpha${' beta'.repeat(9)}`));
      await expectPaid(on, costAt(MAIN, input_tokens, output_tokens), { estimated: true, status: 'time_limit' });
    },
    'your stop sequence ended the answer before any text': async () => {
      const on = await start(messages);
      on.first.next(
        messageAnswer({ pieces: [], stop: 'stop_sequence', usage: { input_tokens: 11, output_tokens: 3 } }),
      );
      expect((await on.ask({ stop_sequences: ['x'] })).status).toBe(200);
      await expectPaid(on, costAt(MAIN, 11, 3), { output_tokens: 3 });
    },
    'you disconnected mid-answer, and the size of the input is unknown': async () => {
      const { clock, timers } = createReadOnClock(systemClock);
      const on = await start(responses, { clock, main: { context_tokens: 4_000 } });
      const file = { type: 'input_file', file_url: 'https://files.example/report.pdf' };
      const input = [{ role: 'user', content: [{ type: 'input_text', text: 'Read this.' }, file] }];
      for (const tokens of [{ input: 2_500, output: 500 }, null]) {
        const parts = responses.stream({ pieces: LONG, tokens }).body ?? [];
        const at = parts.findIndex((part) => String(part).includes(' and more')) + 1;
        const gate = createGate();
        on.first.next({ ...responses.stream(), body: [...parts.slice(0, at), gate.opened, ...parts.slice(at)] });
        const leaving = new AbortController();
        const body = { model: 'main', input, max_output_tokens: 900, stream: true };
        const call = { key: on.account.key, body, signal: leaving.signal };
        await readUntil(await on.gateway.call('/v1/responses', call), ' and more');
        const before = timers();
        leaving.abort();
        await eventually('the stream to be read on', () => timers() > before);
        gate.open();
        await eventually('the hold to be resolved', async () => (await on.records())[0]?.input_tokens > 0);
        const [record] = await on.records();
        const output = count('Alpha and more');
        const cost_nano = costAt(MAIN, tokens ? 2_500 : 4_000, output);
        expect(record).toMatchObject({ cost_nano, estimated: tokens === null });
      }
    },
    'you disconnected after a part of an image that is priced by tokens': async () => {
      const on = await startPainter();
      const part = { type: 'image_generation.partial_image', b64_json: 'QUJD' };
      const usage = { input_tokens: 5, output_tokens: 700 };
      const done = { type: 'image_generation.completed', b64_json: 'QUJD', usage };
      const gate = createGate();
      on.first.next(sseScript([sseText(JSON.stringify(part)), gate.opened, sseText(JSON.stringify(done))]));
      const leaving = new AbortController();
      const body = { model: 'token-painter', prompt: 'a cat', stream: true };
      const call = { key: on.account.key, body, signal: leaving.signal };
      await readUntil(await on.gateway.call('/v1/images/generations', call), 'QUJD');
      leaving.abort();
      await Bun.sleep(50);
      gate.open();
      await eventually('the record', async () => (await on.records()).length > 0);
      await expectPaid(on, costAt(MAIN, 5, 700), { status: 'client_gone', images: 1 });
    },
    'your daily allowance for calls without a charge is used up': async () => {
      const on = await start(chat, { guards: { loss_per_account_day: 0 } });
      on.first.next(chatAnswer({ pieces: [], usage: { prompt_tokens: 11, completion_tokens: 7 } }));
      expect((await on.ask()).status).toBe(200);
      await expectPaid(on, costAt(MAIN, 11, 7), { status: 'ok' });
      expect(on.gateway.log.alarms('account_losses')).toHaveLength(1);
    },
    'you disconnected after a part of an image': async () => {
      const on = await startPainter();
      const part = { type: 'image_generation.partial_image', b64_json: 'QUJD' };
      on.first.next(sseScript([sseText(JSON.stringify(part)), 5_000]));
      const leaving = new AbortController();
      const body = { model: 'painter', prompt: 'a cat', stream: true };
      const call = { key: on.account.key, body, signal: leaving.signal };
      await readUntil(await on.gateway.call('/v1/images/generations', call), 'QUJD');
      leaving.abort();
      await eventually('the record', async () => (await on.records()).length > 0);
      await expectPaid(on, '100000000', { status: 'client_gone', images: 1 });
    },
    'the gateway crashed during the call': async () => {
      const place = createWorkplace();
      const upstream = await startUpstream();
      const standard = testDocument(upstream.baseUrl);
      place.write('gateway.yaml', {
        ...standard,
        channels: [...standard.channels, openaiChannel('x', upstream.baseUrl)],
      });
      const env = { SECRETS_PEPPER: PEPPER, ...store.env };
      const server = await place.serve(env);
      const register = await fetch(`${server.url}/api/agent/register`, { method: 'POST' });
      const { api_key } = (await register.json()) as { api_key: string };
      const headers = { authorization: `Bearer ${api_key}` };
      upstream.otherwise(cutAt(chatStream(), 600, 'stall'));
      const call = fetch(`${server.url}/v1/chat/completions`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ model: 'up-paid', stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
      }).then(
        (response) => response.text(),
        () => '',
      );
      await upstream.request(0);
      server.signal('SIGKILL');
      await Promise.all([server.ended, call.catch(() => '')]);
      const next = await place.serve(env);
      const get = async (path: string) => (await fetch(next.url + path, { headers })).json() as Promise<never>;
      const { data } = (await get('/api/usage')) as { data: unknown[] };
      expect(data).toEqual([expect.objectContaining({ status: 'gateway_died', cost_nano: '0', channel: null })]);
      expect(await get('/api/me')).toMatchObject({ balance_ntd: 1, held_nano: '0' });
      await place.remove();
      await upstream.close();
    },
  };

  const [chat, messages, responses] = WIRE_CLIENTS as [WireClient, WireClient, WireClient];
  async function startPainter(): Promise<Lab> {
    return start(chat, {
      models: [
        { id: 'painter', kinds: ['images'], price: { image: 0.1 }, routes: [{ channel: 'first', model: 'p' }] },
        {
          ...{ id: 'token-painter', kinds: ['images'], price: { input: 10, output: 40 }, max_output_tokens: 2_000 },
          routes: [{ channel: 'first', model: 'p' }],
        },
        { id: 'vectors', kinds: ['embeddings'], price: { input: 10 }, routes: [{ channel: 'first', model: 'v' }] },
        {
          id: 'listener',
          kinds: ['transcription'],
          price: { second: 0.001 },
          routes: [{ channel: 'first', model: 'l' }],
        },
        { id: 'ranker', kinds: ['rerank'], price: { search: 65 }, routes: [{ channel: 'first', model: 'r' }] },
        { id: 'speaker', kinds: ['speech'], price: { character: 100 }, routes: [{ channel: 'first', model: 's' }] },
        {
          ...{ id: 'token-speaker', kinds: ['speech'], price: { input: 10, output: 40 }, max_output_tokens: 2_000 },
          routes: [{ channel: 'first', model: 'gpt-4o-mini-tts' }],
        },
      ],
    });
  }
  /** Leaves after the first bytes. */
  async function leaveSpeech(on: Lab, model: string): Promise<void> {
    const leaving = new AbortController();
    const body = { model, input: 'Hi', voice: 'alloy' };
    const call = { key: on.account.key, body, signal: leaving.signal };
    const response = await on.gateway.call('/v1/audio/speech', call);
    await response.body?.getReader().read();
    leaving.abort();
  }
  async function callOther(on: Lab, path: string, body: Record<string, unknown>): Promise<void> {
    const response = await on.gateway.call(path, { key: on.account.key, body });
    expect(await response.text()).not.toContain('"error"');
    expect(response.status).toBe(200);
  }

  describe(`${name}: what is paid when things go wrong`, () => {
    beforeAll(async () => {
      store = await open();
    });
    afterEach(async () => {
      await lab?.stop();
      lab = undefined;
    });
    afterAll(() => store.remove());

    test('every row of the page is executed, and every test has its row', () => {
      const page = readFileSync(join(import.meta.dir, '..', '..', 'docs', 'billing.md'), 'utf8');
      const listed = [...page.matchAll(/^\| (.+?) \| .+ \|$/gm)]
        .map(([, what]) => what)
        .filter((what) => what !== 'what happened');
      expect(listed.toSorted()).toEqual([...Object.keys(rows), ...Object.keys(chatRows)].toSorted());
    });
    const isShort = onlyEndings && !IS_LONG_RUN;
    const chosen = <Run>(all: Record<string, Run>) =>
      Object.entries(all).filter(([what]) => !isShort || ENDINGS.includes(what));
    test('every ending is a row', () => {
      const all = [...Object.keys(rows), ...Object.keys(chatRows)];
      expect(ENDINGS.filter((what) => !all.includes(what))).toEqual([]);
    });
    describe.each(isShort ? [chat] : WIRE_CLIENTS)('$name', (client) => {
      for (const [what, run] of chosen(rows)) test(what, () => run(client));
    });
    for (const [what, run] of chosen(chatRows)) test(what, run);
  });
}

function cutLength({ cut }: Script): number {
  return typeof cut?.after === 'number' ? cut.after : 0;
}
