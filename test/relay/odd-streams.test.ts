// Streams as some upstreams really send them, each a little beside its format: whole answers reach the client as such, what
// broke goes on elsewhere, and nothing of the upstream's own problem is shown.

import { describe, expect, test } from 'bun:test';
import { costAt, type Lab, MAIN, shareLabs, startLab, TRIAL } from '../support/lab.ts';
import type { Part, Script } from '../support/script.ts';
import { parseSse } from '../support/sse.ts';
import { WIRE_CLIENTS, type WireClient, wireClient } from '../support/wire-clients.ts';

const PIECES = ['One', ' two', ' three.'];
const TEXT = PIECES.join('');
const COST = costAt(MAIN, 11, 7);
/** Longer than an answer that has its finish waits for more. */
const LONG_MS = 700;

let lab: Lab;
const takeLab = shareLabs();

const partsOf = (client: WireClient) => (client.stream({ pieces: PIECES }).body ?? []) as string[];
const streamOf = (body: readonly Part[], rest: Partial<Script> = {}): Script => ({
  headers: { 'content-type': 'text/event-stream' },
  framing: 'chunked',
  body,
  ...rest,
});
const dataOf = (part: string) => parseSse(part)[0]?.json;

async function ask(client: WireClient, script: Script, fields: Record<string, unknown> = {}) {
  lab = await takeLab(client);
  lab.first.next(script);
  lab.first.otherwise(client.refusal(500, 'other'));
  lab.second.otherwise(client.refusal(500, 'other'));
  return lab.ask({ stream: true, ...fields });
}

async function expectWhole(client: WireClient, script: Script) {
  const { answer, record, attempts, text } = await ask(client, script);
  expect(answer).toMatchObject({ content: { [client.textSlot]: TEXT }, complete: true, error: undefined });
  expect(attempts).toEqual([['first', 'ok']]);
  expect(record).toMatchObject({ status: 'ok', estimated: false, cost_nano: COST });
  return text;
}

describe.each(WIRE_CLIENTS)('$name', (client) => {
  const parts = partsOf(client);
  /** With this before the second word. */
  const withKeepAlive = (keepAlive: string) => {
    const at = parts.findIndex((part) => part.includes(' two'));
    return streamOf([...parts.slice(0, at), keepAlive, ...parts.slice(at)]);
  };

  // Chunks of Gemini have no type: this one would be no chunk.
  const lineEnds = client.name === 'gemini' ? [] : ['\n', '\r', '\r\n'];
  test.each(lineEnds)('a type with a line end in it (%j) forges no event', async (end) => {
    const type = ['x', 'data: {"forged":1}', '', 'event: forged', 'data: {"forged":2}', '', 'event: y'].join(end);
    const text = await expectWhole(client, withKeepAlive(`data: ${JSON.stringify({ type, other: 1 })}\n\n`));
    const lines = text.split(/\r\n|\n|\r/);
    expect(lines.filter((line) => /^(event: forged|data: \{"forged)/.test(line))).toEqual([]);
  });

  test('data in several lines', async () => {
    const lines = (part: string) =>
      part.replace(/^data: (\{.*)$/m, (_, data: string) =>
        JSON.stringify(JSON.parse(data), null, 1).replace(/^/gm, 'data: '),
      );
    await expectWhole(client, streamOf(parts.map(lines)));
  });

  test.each([
    'data:\n\n',
    'event: ping\ndata:\n\n',
    'event: ping\ndata: {}\n\n',
    'event: keepalive\ndata: {}\n\n',
    'event: heartbeat\ndata: 12:00:00\n\n',
  ])('a keep-alive %j is passed over', async (keepAlive) => {
    const text = await expectWhole(client, withKeepAlive(keepAlive));
    expect(text).not.toContain('data: {}');
    expect(text).not.toContain('12:00:00');
  });

  const DEEP = `${'['.repeat(200)}${']'.repeat(200)}`;
  const huge: [what: string, value: string][] = [
    ['of more values than a client may send', `[${'0,'.repeat(150_000)}0]`],
    ['deeper than a client may send', DEEP],
  ];
  const withMember = (value: string) => (part: string) =>
    part.replace(/(.*data: \{)(.* two.*)/, (_, start: string, rest: string) => `${start}"extra":${value},${rest}`);

  test.each(huge)('an event %s passes', async (_, value) => {
    const body = parts.map(withMember(value));
    expect(body).not.toEqual(parts);
    expect(await expectWhole(client, streamOf(body))).toContain(value);
  });

  test.each(huge)('a stream goes on with an event %s', async (_, value) => {
    lab = await takeLab(client);
    const at = parts.findIndex((part) => part.includes(' two'));
    lab.first.next(streamOf(parts.slice(0, at)));
    lab.first.otherwise(client.refusal(500, 'other'));
    // Its first words are those that the client has, so the event is written anew.
    const again = (client.stream({ pieces: ['One two', ' three.'] }).body ?? []) as string[];
    lab.second.next(streamOf(again.map(withMember(value))));
    const { answer } = await lab.ask({ stream: true });
    expect(answer).toMatchObject({ content: { [client.textSlot]: TEXT }, complete: true, error: undefined });
  });

  test.each(['chunked', 'close'] as const)('a last event without its empty line, %s', async (framing) => {
    const end = parts.findLastIndex((part) => !part.includes('[DONE]') && !part.includes('message_stop'));
    for (const last of [parts[end]?.trimEnd(), `${parts[end]?.trimEnd()}\n`]) {
      await expectWhole(client, streamOf([...parts.slice(0, end), last ?? ''], { framing }));
    }
  });

  test('but half of it is a cut', async () => {
    const end = parts.findIndex((part) =>
      /"finish_reason":"stop"|end_turn|response\.completed|finishReason/.test(part),
    );
    const half = parts[end]?.trimEnd().slice(0, -1) ?? '';
    const { answer, record, attempts } = await ask(client, streamOf([...parts.slice(0, end), half]));
    expect(answer.complete).toBe(false);
    expect(answer.error).toBeDefined();
    expect(attempts[0]).toEqual(['first', 'cut']);
    expect(record).toMatchObject({ status: 'upstream_failed', cost_nano: '0' });
  });
});

test('keep-alives are no silence', async () => {
  const keptAlive = async (client: WireClient) => {
    const own = await startLab(client, { channels: { timeouts: { idle_ms: 1_500 } } });
    const parts = partsOf(client);
    const at = parts.findIndex((part) => part.includes(' two'));
    const pings = Array.from({ length: 6 }, () => ['event: ping\ndata: {}\n\n', 300]).flat();
    own.first.next(streamOf([...parts.slice(0, at), ...pings, ...parts.slice(at)]));
    const { answer, attempts } = await own.ask({ stream: true }).finally(own.stop);
    expect(answer, client.name).toMatchObject({ content: { [client.textSlot]: TEXT }, complete: true });
    expect(attempts, client.name).toEqual([['first', 'ok']]);
  };
  // At once, because each takes its time.
  await Promise.all(WIRE_CLIENTS.map(keptAlive));
});

describe.each(WIRE_CLIENTS.filter(({ name }) => name !== 'responses'))('$name: an empty reason is no end', (client) => {
  const parts = partsOf(client);
  const unreasoned = parts.map((part) =>
    part.replace('"finish_reason":null', '"finish_reason":""').replace('},"index":0', '},"finishReason":"","index":0'),
  );
  const early = 'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":""},"usage":{}}\n\n';
  const at = parts.findIndex((part) => part.includes(' two'));
  const begun = client.name === 'messages' ? [...parts.slice(0, at), early] : unreasoned.slice(0, at);
  const rest = unreasoned.slice(at);

  test('after a pause it goes on', async () => {
    await expectWhole(client, streamOf([...begun, LONG_MS, ...rest]));
  });

  test('where nothing follows it is a cut', async () => {
    const { answer, record, attempts } = await ask(client, streamOf(begun));
    expect(answer).toMatchObject({ content: { [client.textSlot]: 'One' }, complete: false });
    expect(answer.error).toBeDefined();
    expect(attempts[0]).toEqual(['first', 'cut']);
    expect(record).toMatchObject({ status: 'upstream_failed', cost_nano: '0' });
    expect(await lab.balance()).toBe(TRIAL);
  });

  test('nor is it that of a whole answer', async () => {
    const whole = client.whole();
    const [body = ''] = (whole.body ?? []) as string[];
    const open = body.replace(/"(finish_reason|stop_reason|finishReason)":"\w+"/, '"$1":""');
    expect(open).not.toBe(body);
    await expectRefused(client, { ...whole, body: [open] });
  });
});

/** Another channel answers in its place. */
async function expectRefused(client: WireClient, script: Script) {
  lab = await takeLab(client);
  lab.first.next(script);
  lab.second.next(client.whole());
  const { attempts, status } = await lab.ask();
  expect(status).toBe(200);
  expect(attempts).toEqual([
    ['first', 'not_an_answer'],
    ['second', 'ok'],
  ]);
}

describe.each(WIRE_CLIENTS.filter(({ name }) => name === 'messages'))('$name: a delta without a reason', (client) => {
  const parts = partsOf(client);
  const at = parts.findIndex((part) => part.includes(' two'));
  const stop = parts.findIndex((part) => part.includes('end_turn'));
  const told = (delta: unknown, output_tokens: number) =>
    `event: message_delta\ndata: ${JSON.stringify({ type: 'message_delta', delta, usage: { output_tokens } })}\n\n`;
  const deltas = (text: string) => parseSse(text).filter(({ json }) => json?.type === 'message_delta');
  const reasons: [what: string, delta: unknown][] = [
    ['an empty one', { stop_reason: '' }],
    ['null', { stop_reason: null }],
    ['none', {}],
    ['no delta', undefined],
  ];

  test.each(reasons)('%s: only counts, however often, and is never shown', async (_, delta) => {
    const many = told(delta, 1).repeat(1_100);
    const body = [...parts.slice(0, 1), many, ...parts.slice(1, at), many, ...parts.slice(at)];
    const text = await expectWhole(client, streamOf(body));
    expect(deltas(text).map(({ json }) => json)).toMatchObject([
      { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7, cost_nano: COST } },
    ]);
  });

  test.each(reasons)('%s: is no beginning', async (_, delta) => {
    lab = await takeLab(client);
    lab.first.otherwise(streamOf([...parts.slice(0, 1), told(delta, 1)]));
    lab.second.next(client.stream({ pieces: PIECES }));
    const { headers, answer } = await lab.ask({ stream: true });
    expect(headers.get('x-svc-channel')).toBe('second');
    expect(answer).toMatchObject({ content: { [client.textSlot]: TEXT }, complete: true });
  });

  test.each(reasons)('%s: usage that comes after the end is sent with the end', async (_, delta) => {
    const early = parts[stop]?.replace('"output_tokens":7', '"output_tokens":1') ?? '';
    const body = [...parts.slice(0, stop), early, told(delta, 7), ...parts.slice(stop + 1)];
    const text = await expectWhole(client, streamOf(body));
    expect(deltas(text).map(({ json }) => json)).toMatchObject([
      { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7, cost_nano: COST } },
    ]);
  });
});

const SECRET = 'gpu-7.internal sk-live-abc';
const told = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const choice = (fields: Record<string, unknown>) => told({ choices: [{ index: 0, delta: {}, ...fields }] });
const chat = wireClient('chat');

describe.each(WIRE_CLIENTS)('$name, of a chat upstream', (own) => {
  const { stream, refusal } = chat;
  const channel: WireClient['channel'] = (...of) => ({ ...chat.channel(...of), endpoints: ['chat'] });
  const client: WireClient = { ...own, channel, stream, refusal };
  const parts = partsOf(chat);
  const at = parts.findIndex((part) => part.includes(' two'));
  const begun = parts.slice(0, at);
  const errors: [what: string, part: string][] = [
    ['a text', told({ error: SECRET })],
    ['an object that is one', told({ object: 'error', message: SECRET, code: 500 })],
    ['in a choice', choice({ finish_reason: null, error: { message: SECRET } })],
    ['an event of that name', `event: error\n${told({ message: SECRET })}`],
    ['words in an event of that name', `event: error\ndata: ${SECRET}\n\n`],
    ['a finish', choice({ finish_reason: 'insufficient_system_resource', note: SECRET })],
  ];

  test.each(errors)('an error as %s: the stream goes on elsewhere, and the error is not shown', async (_, part) => {
    lab = await takeLab(client);
    lab.first.next(streamOf([...begun, part]));
    lab.first.otherwise(client.refusal(500, 'other'));
    lab.second.next(client.stream({ pieces: PIECES }));
    const { answer, attempts, text } = await lab.ask({ stream: true });
    expect(answer).toMatchObject({ content: { [client.textSlot]: TEXT }, complete: true, error: undefined });
    expect(attempts[0]).toEqual(['first', 'error_event']);
    expect(text).not.toContain(SECRET);
  });

  test.each(errors)(
    'an error as %s, and no continuation: reported without the upstream’s text, and free',
    async (_, part) => {
      const { answer, record, text } = await ask(client, streamOf([...begun, part, ...parts.slice(at)]));
      expect(answer.complete).toBe(false);
      expect(answer.error).toMatchObject({ code: 'upstream_failed' });
      expect(record).toMatchObject({ status: 'upstream_failed', cost_nano: '0' });
      expect(text).not.toContain(SECRET);
    },
  );
});

describe.each(WIRE_CLIENTS.filter(({ name }) => name === 'chat'))('$name', (client) => {
  const parts = partsOf(client);
  const at = parts.findIndex((part) => part.includes(' two'));
  const begun = parts.slice(0, at);

  test.each([
    told({ detail: SECRET }),
    told({ type: 'note', message: SECRET }),
    `data: ${SECRET}\n\n`,
    `event: note\ndata: ${SECRET}\n\n`,
    `data: ${JSON.stringify({ error_code: 110, error_msg: SECRET })}\n\n`,
    `data: ${JSON.stringify({ base_resp: { status_msg: SECRET } })}\n\n`,
    `data: ${JSON.stringify({ header: [{ code: 1, Message: SECRET }] })}\n\n`,
    `data: ${JSON.stringify({ success: false, reason: SECRET })}\n\n`,
    `data: ${JSON.stringify({ type: 'ping', at: SECRET })}\n\n`,
  ])('words of an upstream about itself are not shown: %j', async (words) => {
    const text = await expectWhole(client, streamOf([...begun, words, ...parts.slice(at)]));
    expect(text).not.toContain(SECRET);
  });

  test.each([
    '{"id":"x","object":"chat.moderation", "model":"upstream-model","moderation":{"a":1.0}}',
    '{"object":"chat.moderation","moderation":{"a":12345678901234567890}}',
    '{"anything":[1,2]}',
  ])('what only the upstream and its clients know passes as it is: %s', async (data) => {
    for (const [event, body] of [
      [undefined, [...begun, `data: ${data}\n\n`, ...parts.slice(at)]],
      ['custom', [...begun, `event: custom\ndata: ${data}\n\n`, ...parts.slice(at)]],
      [undefined, [`data: ${data}\n\n`, ...parts]],
    ] as const) {
      const text = await expectWhole(client, streamOf(body));
      const shown = data.replace('upstream-model', lab.model);
      expect(text).toContain(`${event ? `event: ${event}\n` : ''}data: ${shown}\n\n`);
      expect(text).not.toContain('upstream-model');
      // The chunk with the usage is one of the answer.
      expect(parseSse(text).at(-2)?.json).toMatchObject({
        object: 'chat.completion.chunk',
        usage: { cost_nano: COST },
      });
    }
  });

  const usage = parts.find((part) => part.includes('"usage"')) ?? '';
  const stale = usage.replace('"completion_tokens":7', '"completion_tokens":1');
  const part = usage.replace(/"usage":\{[^}]*\}/, '"usage":{"prompt_tokens":11}');
  const rest = parts.slice(at).filter((one) => one !== usage);
  const usages = (text: string) => parseSse(text).filter(({ json }) => json?.usage);

  test.each([
    ['first of all', [usage, ...begun, ...rest]],
    ['before the finish', [...begun, stale, usage, ...rest]],
    ['before the finish, and once more in part', [...begun, usage, part, ...rest]],
    ['before the finish and after it', [...begun, stale, ...rest.slice(0, -1), usage, ...rest.slice(-1)]],
  ])('usage by itself, %s: told once, and at the end', async (_, body) => {
    const text = await expectWhole(client, streamOf(body));
    expect(usages(text)).toHaveLength(1);
    expect(parseSse(text).at(-2)?.json).toMatchObject({
      choices: [],
      usage: { completion_tokens: 7, cost_nano: COST },
    });
  });

  test.each(['', ',"choices":null'])('usage by itself without choices%s has an empty list of them', async (choices) => {
    const bare = usage.replace(/,"choices":\[\]/, choices);
    expect(bare).not.toBe(usage);
    for (const body of [
      [...begun, bare, ...rest],
      [...begun, ...rest.slice(0, -1), bare, ...rest.slice(-1)],
    ]) {
      const text = await expectWhole(client, streamOf(body));
      expect(usages(text)).toHaveLength(1);
      expect(parseSse(text).at(-2)?.json).toMatchObject({ choices: [], usage: { cost_nano: COST } });
    }
  });

  test('an error beside a whole answer is none', async () => {
    for (const error of [{ message: SECRET }, SECRET]) {
      const whole = client.whole();
      const [body = ''] = (whole.body ?? []) as string[];
      await expectRefused(client, { ...whole, body: [JSON.stringify({ ...JSON.parse(body), error })] });
    }
  });

  test('usage by itself goes to no client that did not ask for it', async () => {
    const filtered = told({ ...dataOf(usage), usage: undefined, prompt_filter_results: [] });
    const body = [filtered, ...begun, usage, ...rest];
    const { text, record, answer } = await ask(client, streamOf(body), { stream_options: undefined });
    expect(usages(text)).toEqual([]);
    expect(answer.complete).toBe(true);
    expect(record.cost_nano).toBe(COST);
    expect(parseSse(text)[0]?.json).toMatchObject({ choices: [], prompt_filter_results: [] });
  });

  test('words that are called a message are words', async () => {
    const renamed = parts.map((part) => part.replace('"delta"', '"message"'));
    const { text, record } = await ask(client, streamOf(renamed.filter((part) => !part.includes('"usage"'))));
    const said = parseSse(text).map(({ json }) => json?.choices?.[0]?.message?.content ?? '');
    expect(said.join('')).toBe(TEXT);
    expect(record).toMatchObject({ status: 'ok', estimated: true });
    expect(record.output_tokens).toBeGreaterThan(0);
    expect(BigInt(record.cost_nano)).toBeGreaterThan(0n);
  });

  test('words that are called a message go on elsewhere, none of them twice', async () => {
    lab = await takeLab(client);
    const renamed = (part: string) => part.replace('"delta"', '"message"');
    lab.first.next(streamOf(begun.map(renamed)));
    lab.first.otherwise(client.refusal(500, 'other'));
    const again = (client.stream({ pieces: ['One two', ' three.'] }).body ?? []) as string[];
    lab.second.next(streamOf(again.map(renamed)));
    const { text } = await lab.ask({ stream: true });
    const said = parseSse(text).map(({ json }) => json?.choices?.[0]?.message?.content ?? '');
    expect(said.join('')).toBe(TEXT);
    expect(parseSse(text).filter(({ json }) => json?.choices?.[0]?.message?.role)).toHaveLength(1);
  });
});
