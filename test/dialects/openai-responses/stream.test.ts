// A response stream through reader and writer: what is which kind of event, what the client gets of it, and what becomes
// of it when another run takes over.

import { describe, expect, test } from 'bun:test';
import type { ReportedUsage, StreamEvent, StreamWriter } from '../../../src/dialects/dialect.ts';
import { openaiResponses } from '../../../src/dialects/openai-responses/dialect.ts';
import { readJsonObject } from '../../../src/kit/json/json.ts';
import { NO_BUCKETS } from '../../../src/store/rows.ts';
import type { Answer } from '../../support/answer.ts';
import { assembleResponses } from '../../support/assemble-responses.ts';
import { type ResponseEvent, type ResponseOptions, responseEvents } from '../../support/openai-responses.ts';
import { parseSse } from '../../support/sse.ts';

const REQUEST = openaiResponses.request.read(readJsonObject('{"model":"main","input":"Hi","stream":true}'));
const BILLED: ReportedUsage = { buckets: { ...NO_BUCKETS, input: 5, output: 3 }, reasoning: 1 };
const FINAL = { usage: BILLED, cost: 9n, isOurs: false };

function read(events: readonly ResponseEvent[]) {
  const reader = openaiResponses.stream.createReader(REQUEST);
  const seen = events.flatMap((event) => reader.read({ event: event.type, data: JSON.stringify(event) }));
  return { seen, facts: reader.facts() };
}

const eventsOf = (options: ResponseOptions) => read(responseEvents(options)).seen;
const isContent = ({ kind }: StreamEvent) => kind !== 'done';

function start(keepText = false): StreamWriter {
  return openaiResponses.stream.createWriter(REQUEST, { keepText });
}

describe('reading', () => {
  test('text, reasoning and calls begin an answer; progress events do not', () => {
    const { seen } = read(
      responseEvents({ reasoning: ['Hm'], pieces: ['Yes'], tools: [{ name: 'look', arguments: ['{}'], callId: 'c' }] }),
    );
    expect(seen.filter(({ kind }) => kind === 'output').map(({ name, segments }) => [name, segments[0]?.slot])).toEqual(
      [
        ['response.reasoning_summary_text.delta', '0/0/summary/0'],
        ['response.output_text.delta', '0/1/text/0'],
        ['response.output_item.added', '0/2/name'],
        ['response.function_call_arguments.delta', '0/2/arguments'],
      ],
    );
    expect(seen.slice(-2).map(({ kind }) => kind)).toEqual(['held', 'done']);
  });

  test('the facts of an answer that ended', () => {
    const { facts } = read(
      responseEvents({
        usage: {
          input_tokens: 100,
          output_tokens: 7,
          input_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
          output_tokens_details: { reasoning_tokens: 2 },
        },
      }),
    );
    expect(facts).toMatchObject({ finished: true, finish: 'other', output: { hasContent: true } });
    expect(facts.usage).toEqual({
      buckets: { ...NO_BUCKETS, input: 10, cachedInput: 60, cacheWrite5m: 30, output: 7 },
      reasoning: 2,
      isRestated: false,
    });
  });

  test('an output that ran into its limit', () => {
    expect(read(responseEvents({ isCutShort: true })).facts).toMatchObject({ finished: true, finish: 'length' });
  });

  test('without usage the end waits for what may follow', () => {
    const { seen, facts } = read(responseEvents({ usage: null }));
    expect(seen.at(-1)?.kind).toBe('held');
    expect(facts.usage).toBe('absent');
  });

  test('arguments that only the closing event has are output, too', () => {
    const events = responseEvents({ pieces: [], tools: [{ name: 'look', arguments: ['{"at":1}'], callId: 'c' }] });
    const { seen } = read(events.filter(({ type }) => !type.endsWith('.delta')));
    expect(seen.flatMap(({ segments }) => segments)).toContainEqual({ slot: '0/0/arguments', text: '{"at":1}' });
  });

  test('hidden reasoning is reasoning', () => {
    const item = { id: 'rs', type: 'reasoning', summary: [], encrypted_content: 'x' };
    const { facts, seen } = read([{ type: 'response.output_item.done', output_index: 0, item }]);
    expect(facts.output).toMatchObject({ hasReasoning: true, hasContent: false });
    expect(seen[0]?.kind).toBe('other');
  });

  test.each([
    [{ type: 'response.failed', response: { status: 'failed' } }],
    [{ type: 'response.cancelled', response: { status: 'cancelled', output: [] } }],
    [{ type: 'error', message: 'x' }],
    [{ type: 'response.completed', response: { status: 'failed', output: [] } }],
  ])('%j breaks it', (event) => {
    expect(read([event]).seen[0]?.kind).toBe('broken');
  });
});

describe('writing', () => {
  function writeAll(options: ResponseOptions, writer = start()): string {
    return eventsOf(options).filter(isContent).map(writer.write).join('') + writer.end(FINAL);
  }

  test('only the model and the cost differ from what came', () => {
    const events = responseEvents({ reasoning: ['Hm'] });
    const sent = parseSse(writeAll({ reasoning: ['Hm'] })).map(({ json }) => json);
    const expected: Answer[] = events.map((event) =>
      event.response ? { ...event, response: { ...(event.response as object), model: 'main' } } : event,
    );
    Object.assign(expected.at(-1).response.usage, { cost_ntd: 9e-9, cost_nano: '9' });
    expect(sent).toEqual(expected);
  });

  test('bytes stay as they came, also inside the response', () => {
    const data =
      '{"type":"response.created","sequence_number":0,"response":{"id":"r","temperature":1.0,"model":"up","big":12345678901234567890}}';
    const [event] = openaiResponses.stream.createReader(REQUEST).read({ event: undefined, data });
    expect(event && start().write(event)).toBe(`event: response.created\ndata: ${data.replace('"up"', '"main"')}\n\n`);
  });

  test('our own figures where the upstream gave none', () => {
    const { usage } = assembleResponses(writeAll({ usage: null }));
    expect(usage).toMatchObject({
      input_tokens: 5,
      output_tokens: 3,
      output_tokens_details: { reasoning_tokens: 1 },
      cost_nano: '9',
    });
  });

  test('a keep-alive repeats that it is in progress, and numbers go on', () => {
    const writer = start();
    const events = eventsOf({}).filter(isContent);
    let text = events.slice(0, 5).map(writer.write).join('');
    text += writer.keepAlive() + writer.keepAlive();
    text += events.slice(5).map(writer.write).join('') + writer.end(FINAL);
    expect(assembleResponses(text)).toMatchObject({ complete: true, keepAlives: 2, models: ['main'] });
  });

  test('an error is a failure of the same response', () => {
    const writer = start();
    const text = eventsOf({}).slice(0, 5).map(writer.write).join('');
    const failed = writer.error({ error: { message: 'Try again.', type: 'server_error', code: 'upstream_failed' } });
    expect(assembleResponses(text + failed)).toMatchObject({
      complete: false,
      error: { code: 'upstream_failed', message: 'Try again.' },
    });
  });

  test('events of another kind pass', () => {
    const event = { type: 'response.web_search_call.searching', output_index: 0, item_id: 'ws', sequence_number: 0 };
    const [seen] = read([event]).seen;
    expect(seen && start().write(seen)).toContain('web_search_call.searching');
  });
});

describe('continued by a run of its own', () => {
  const OPTIONS: ResponseOptions = {
    reasoning: ['Hm', '…'],
    pieces: ['One', ' two'],
    tools: [
      { name: 'look', arguments: ['{"at"', ':1}'], callId: 'x' },
      { name: 'go', arguments: ['{}'], callId: 'y' },
    ],
  };
  const first = eventsOf(OPTIONS).filter(isContent);
  const whole = assembleResponses(joined(first.length));

  function joined(cut: number, second: ResponseOptions = { ...OPTIONS, run: 'b' }): string {
    const writer = start();
    let text = first.slice(0, cut).map(writer.write).join('');
    if (cut === first.length) return text + writer.end(FINAL);
    const continued = writer.continue('fresh');
    for (const event of eventsOf(second).filter(isContent)) {
      const frames = continued.write(event);
      if (frames === 'mismatch') return 'mismatch';
      text += frames;
    }
    return continued.caughtUp() ? text + writer.end(FINAL) : 'mismatch';
  }

  test.each(first.map((_, cut) => cut + 1))('after %d events it is one answer', (cut) => {
    const answer = assembleResponses(joined(cut));
    expect(answer.complete).toBe(true);
    const without = ({ content }: typeof answer) =>
      Object.fromEntries(Object.entries(content).filter(([slot]) => !slot.endsWith('/id')));
    expect(without(answer)).toEqual(without(whole));
  });

  test.each([
    ['other words', { pieces: ['One', ' three'] }],
    ['fewer words', { pieces: ['One'] }],
    ['another order', { reasoning: [] }],
    ['another tool', { tools: [{ name: 'looks', arguments: ['{"at"', ':1}'], callId: 'x' }] }],
    ['an item less', { tools: [] }],
  ])('%s are another answer', (_, other) => {
    const cut = first.findIndex(({ document }) => document?.value.delta === ':1}') + 1;
    expect(joined(cut, { ...OPTIONS, run: 'b', ...other })).toBe('mismatch');
  });
});

describe('continued by prefill', () => {
  const PIECES = ['One', ' two', ' three'];
  const first = eventsOf({ pieces: PIECES }).filter(isContent);

  function joined(cut: number, continuation: (sent: string) => ResponseOptions): string {
    const writer = start(true);
    let text = first.slice(0, cut).map(writer.write).join('');
    const sent = writer.sentText() ?? '';
    const continued = writer.continue('prefill');
    for (const event of eventsOf({ run: 'b', ...continuation(sent) }).filter(isContent)) text += continued.write(event);
    return text + writer.end(FINAL);
  }
  const cuts = first.map((_, at) => at + 1).filter((cut) => cut >= 5);

  test.each(cuts)('after %d events the text continues, and its closing events have all of it', (cut) => {
    const answer = assembleResponses(joined(cut, (sent) => ({ pieces: [PIECES.join('').slice(sent.length)] })));
    expect(answer).toMatchObject({ complete: true, content: { '0/text/0': 'One two three' } });
  });

  test('white space that was sent is not sent again', () => {
    const writer = start(true);
    const events = eventsOf({ pieces: ['One \n'] }).filter(isContent);
    let text = events.slice(0, 5).map(writer.write).join('');
    const continued = writer.continue('prefill');
    for (const event of eventsOf({ run: 'b', pieces: [' ', '\ntwo'] }).filter(isContent))
      text += continued.write(event);
    expect(assembleResponses(text + writer.end(FINAL)).content).toEqual({ '0/text/0': 'One \ntwo' });
  });

  test('a run that has nothing to add closes what is open', () => {
    const answer = assembleResponses(joined(7, () => ({ pieces: [] })));
    expect(answer).toMatchObject({ complete: true, content: { '0/text/0': 'One two three' } });
  });

  test('what else it says comes after the message', () => {
    const answer = assembleResponses(
      joined(6, () => ({
        reasoning: ['Hm'],
        pieces: [' three'],
        tools: [{ name: 'go', arguments: ['{}'], callId: 'y' }],
      })),
    );
    expect(answer.content).toEqual({
      '0/text/0': 'One two three',
      '1/summary/0': 'Hm',
      '2/name': 'go',
      '2/id': 'y_b',
      '2/arguments': '{}',
    });
  });

  test('only a lone message can be continued', () => {
    const writer = start(true);
    eventsOf({ reasoning: ['Hm'], pieces: PIECES })
      .filter(isContent)
      .map(writer.write);
    expect(writer.sentText()).toBeUndefined();
  });
});
