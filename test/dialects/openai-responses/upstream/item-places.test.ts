// Upstreams that number the items of a response in their own way, or not at all: each item is told once, whole and streamed
// alike, and every bit of a call goes to its own.

import { describe, expect, test } from 'bun:test';
import { openaiResponsesUpstream } from '../../../../src/dialects/openai-responses/upstream/adapter.ts';
import type { AnswerEvent } from '../../../../src/dialects/translate/answer-events.ts';
import { readJsonObject } from '../../../../src/kit/json/json.ts';
import { type ResponseEvent, responseEvents, responseObject } from '../../../support/openai-responses.ts';
import { targetOf } from '../../openai-chat/adapters.ts';

type Fields = Record<string, unknown>;

const OPTIONS = {
  reasoning: ['Hm', '…'],
  pieces: ['Hi', ' there'],
  tools: [
    { name: 'look', arguments: ['{"at"', ':1}'], callId: 'x' },
    { name: 'look', arguments: ['{"at"', ':2}'], callId: 'y' },
  ],
};
const CALLS = [
  ['x_a', 'look', '{"at":1}'],
  ['y_a', 'look', '{"at":2}'],
];
const SAID = [['reasoning', 'Hm…'], ['text', 'Hi there'], ...CALLS];

function blocksOf(events: readonly AnswerEvent[]): string[][] {
  const blocks: string[][] = [];
  for (const event of events) {
    const last = blocks.at(-1);
    if (event.type === 'open') {
      const { block } = event;
      blocks.push(block.kind === 'tool' ? [block.id, block.name, ''] : [block.kind, '']);
    } else if (event.type === 'delta' && last) last.push((last.pop() ?? '') + event.text);
  }
  // Thoughts without a word only carry what seals them.
  return blocks.filter(([kind, text]) => kind !== 'reasoning' || text !== '');
}

function readAll(events: readonly ResponseEvent[]): AnswerEvent[] {
  const reader = openaiResponsesUpstream.createEventReader(targetOf());
  return events.flatMap((event) => reader.read({ event: event.type, data: JSON.stringify(event) }));
}

const streamed = (events: readonly ResponseEvent[]) => blocksOf(readAll(events));

function whole(response: Fields): string[][] {
  const read = openaiResponsesUpstream.readWhole(readJsonObject(JSON.stringify(response)), targetOf());
  return blocksOf(read?.events ?? []);
}

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const without = (fields: Fields, ...names: string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

/** Every event that speaks of an item, changed. */
function changed(change: (event: ResponseEvent, at: number) => Fields, options: Fields = OPTIONS): ResponseEvent[] {
  return responseEvents(options).map((event, at) =>
    'output_index' in event ? { ...change(event, at), type: event.type } : event,
  );
}

/** Every item too, those of the end as well. */
function withItems(events: readonly ResponseEvent[], change: (item: Fields) => Fields): ResponseEvent[] {
  return events.map((event) => {
    const { item, response } = event;
    if (isObject(item)) return { ...event, item: change(item) };
    if (!isObject(response) || !Array.isArray(response.output)) return event;
    return { ...event, response: { ...response, output: response.output.map(change) } };
  });
}

function withOutput(events: readonly ResponseEvent[], change: (output: Fields[]) => Fields[]): ResponseEvent[] {
  return events.map((event) => {
    const { response } = event;
    if (event.type !== 'response.completed' || !isObject(response)) return event;
    return { ...event, response: { ...response, output: change(response.output as Fields[]) } };
  });
}

const noIndex = changed((event) => without(event, 'output_index'));
const madeUp = (events: readonly ResponseEvent[]) =>
  withItems(
    events.map((event, at) => ('item_id' in event ? { ...event, item_id: `made_${at}` } : event)),
    (item) => ({ ...item, id: `made_${JSON.stringify(item).length}` }),
  );
const unplaced = (options: Fields) => changed((event) => without(event, 'item_id', 'output_index'), options);
const firstOfAll = (options: Fields) =>
  changed((event) => ({ ...without(event, 'item_id'), output_index: 0 }), options);
/** The words of an item are said again after its end. */
function withLateWords(events: readonly ResponseEvent[]): ResponseEvent[] {
  const late: ResponseEvent[] = [];
  return events.flatMap((event) => {
    if (event.type === 'response.output_item.done') return [event, ...late.splice(0)];
    if (!event.type.endsWith('.done')) return [event];
    late.push(event);
    return [];
  });
}

describe('each item of a stream is read once', () => {
  test.each<[string, ResponseEvent[]]>([
    ['by the book', responseEvents(OPTIONS)],
    ['without an index', noIndex],
    ['with the first index for all', changed((event) => ({ ...event, output_index: 0 }))],
    [
      'that counts from another number',
      changed((event) => ({ ...event, output_index: Number(event.output_index) + 3 })),
    ],
    ['whose end leaves out the thoughts', withOutput(responseEvents(OPTIONS), (output) => output.slice(1))],
    [
      'whose end begins with thoughts that nobody heard',
      withOutput(responseEvents(OPTIONS), (output) => [{ id: 'rs_0', type: 'reasoning', summary: [] }, ...output]),
    ],
    ['whose end has another order', withOutput(noIndex, (output) => output.toReversed())],
    ['with another id in every event', madeUp(responseEvents(OPTIONS))],
    [
      'with another id in every event, whose words are said again after their end',
      madeUp(withLateWords(responseEvents(OPTIONS))),
    ],
    [
      'with another id in every event, and no beginnings',
      madeUp(noIndex.filter(({ type }) => !/added$|arguments.delta$/.test(type))),
    ],
    [
      'with another id in every event, and neither beginnings nor ends',
      madeUp(noIndex.filter(({ type }) => !/added$|done$/.test(type))),
    ],
    [
      'without ids',
      withItems(
        changed((event) => without(event, 'item_id')),
        (item) => without(item, 'id'),
      ),
    ],
    [
      'with neither ids nor an index',
      withItems(
        changed((event) => without(event, 'item_id', 'output_index')),
        (item) => without(item, 'id'),
      ),
    ],
    [
      'with one id for all',
      withItems(
        changed((event) => ({ ...event, item_id: 'it' })),
        (item) => ({ ...item, id: 'it' }),
      ),
    ],
    ['that tells no ends', noIndex.filter(({ type }) => !type.endsWith('.done'))],
    ['that tells no beginnings', noIndex.filter(({ type }) => !/added$|arguments.delta$/.test(type))],
    ['that tells ends alone', noIndex.filter(({ type }) => !/added$|delta$/.test(type))],
  ])('%s', (_, events) => {
    expect(streamed(events)).toEqual(SAID);
  });

  test('whose calls have nothing but their call ids, and end after all of them', () => {
    const call = (at: string) => ({ type: 'function_call', call_id: `${at}_a`, name: 'look', status: 'completed' });
    const args = { x: '{"at":1}', y: '{"at":2}' };
    const names = ['x', 'y'] as const;
    const events: ResponseEvent[] = [
      ...names.flatMap((at) => [
        { type: 'response.output_item.added', item: { ...call(at), arguments: '' } },
        { type: 'response.function_call_arguments.delta', item_id: `${at}_a`, delta: args[at] },
      ]),
      ...names.flatMap((at) => [
        { type: 'response.function_call_arguments.done', item_id: `${at}_a`, arguments: args[at] },
        { type: 'response.output_item.done', item: { ...call(at), arguments: args[at] } },
      ]),
      {
        type: 'response.completed',
        response: { status: 'completed', output: names.map((at) => ({ ...call(at), arguments: args[at] })) },
      },
    ];
    expect(streamed(events)).toEqual(CALLS);
  });
});

describe('calls whose arguments come in turns', () => {
  const events = (given: ResponseEvent[]) => {
    const [created, progress, addX, x1, x2, doneX, endX, addY, y1, y2, doneY, endY, last] = given;
    const mixed = [created, progress, addX, addY, x1, y1, x2, y2, doneY, doneX, endX, endY, last];
    return mixed.filter((event) => event !== undefined);
  };
  const calls = { tools: OPTIONS.tools, pieces: [] };

  test.each<[string, ResponseEvent[]]>([
    ['by their ids', changed((event) => without(event, 'output_index'), calls)],
    ['by their ids, where the index says nothing', changed((event) => ({ ...event, output_index: 0 }), calls)],
    ['by their index', changed((event) => without(event, 'item_id'), calls)],
    ['by their index, where ids say nothing', changed((event, at) => ({ ...event, item_id: `made_${at}` }), calls)],
    ['by their ends, where nothing else tells', unplaced(calls)],
    ['by their ends, where the index of all is one', firstOfAll(calls)],
    [
      'by their ends, where their beginnings have no index',
      changed(
        (event) => without(event, 'item_id', ...(event.type === 'response.output_item.added' ? ['output_index'] : [])),
        calls,
      ),
    ],
    [
      'by their ends, where their ids are those of no item',
      changed((event) => {
        const told = without(event, 'output_index');
        return event.item_id === undefined ? told : { ...told, item_id: `other_${event.item_id}` };
      }, calls),
    ],
  ])('go to their own, %s', (_, given) => {
    expect(streamed(events(given))).toEqual(CALLS);
  });

  test.each<[string, ResponseEvent[]]>([
    ['nothing tells', unplaced(calls)],
    ['the index of all is one', firstOfAll(calls)],
  ])('go to their own at the end of the response, where %s before', (_, given) => {
    expect(streamed(events(given).filter(({ type }) => !type.endsWith('.done')))).toEqual(CALLS);
  });

  test('are whole where only the last of them are clear', () => {
    const [created, progress, addX, x1, x2, doneX, endX, addY, y1, y2, doneY, endY, last] = unplaced(calls);
    const mixed = [created, progress, addX, addY, x1, y1, y2, doneY, endY, x2, doneX, endX, last];
    expect(streamed(mixed.filter((event) => event !== undefined))).toEqual(CALLS);
  });

  test.each<[string, ResponseEvent[]]>([
    ['nothing tells', unplaced(calls)],
    ['the index of all is one', firstOfAll(calls)],
  ])('are a break where %s whose they are, also no end', (_, given) => {
    const unended = events(given).filter(({ type }) => !type.endsWith('.done'));
    const read = readAll(withOutput(unended, () => [])).map(({ type }) => type);
    expect(read).toContain('broken');
    expect(read).not.toContain('stop');
  });
});

describe('calls with the same call id are kept apart', () => {
  const names = ['f1', 'f2', 'f3'];
  const call = (id: string) => ({ type: 'function_call', id, call_id: 'call_0', name: 'pay', arguments: '' });
  const args = (id: string) => `{"to":"${id}"}`;
  const added = names.map((id, output_index) => ({
    type: 'response.output_item.added',
    output_index,
    item: call(id),
  }));
  const deltas = names.map((id, output_index) => ({
    type: 'response.function_call_arguments.delta',
    item_id: id,
    output_index,
    delta: args(id),
  }));
  const output = names.map((id) => ({ ...call(id), arguments: args(id) }));
  const end = { type: 'response.completed', response: { status: 'completed', output } };
  const inTurns = added.flatMap((event, at) => [event, deltas[at] ?? event]);
  const unnumbered = (events: readonly ResponseEvent[]): ResponseEvent[] =>
    events.map((event) => ({ ...without(event, 'output_index'), type: event.type }));
  const unnamed = (events: readonly ResponseEvent[]) =>
    withItems(events, (item) => without(item, 'id')).map((event) => ({
      ...without(event, 'item_id'),
      type: event.type,
    }));

  test.each<[string, ResponseEvent[]]>([
    ['whose arguments come at the end', [...added, end]],
    ['whose arguments come at the end, without an index', unnumbered([...added, end])],
    ['that are added first', [...added, ...deltas, end]],
    ['that are added first, without an index', unnumbered([...added, ...deltas, end])],
    ['that tell no ends, without an index', unnumbered([...inTurns, end])],
    ['that have no ids', unnamed([...inTurns, end])],
    ['that have no ids and arguments at the end', unnamed([...added, end])],
    ['that have another id in every event', madeUp([...inTurns, end])],
  ])('%s', (_, events) => {
    expect(streamed(events).map(([, name, said]) => [name, said])).toEqual(names.map((id) => ['pay', args(id)]));
  });
});

test('items that only the final response has are added to those of the stream', () => {
  const heard = changed((event) => without(event, 'output_index')).filter(
    (event) => !JSON.stringify(event).includes('"fc_'),
  );
  const end = responseEvents(OPTIONS).filter(({ type }) => type === 'response.completed');
  expect(streamed([...heard, ...end])).toEqual(SAID);
});

test('a whole answer', () => {
  expect(whole(responseObject(OPTIONS))).toEqual(SAID);
});

test('calls without an id, or with one of another, get the same of their own, streamed and whole', () => {
  const given = [undefined, null, '', 7, 'c', 'c'];
  const calls = given.map((call_id) => ({ type: 'function_call', call_id, name: 'look', arguments: '{}' }));
  const response = { status: 'completed', output: calls };
  const events = [
    ...calls.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item: { ...item, arguments: '' } },
      { type: 'response.function_call_arguments.delta', output_index, delta: '{}' },
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response },
  ];
  const told = streamed(events);
  expect(told).toEqual(whole(response));
  const ids = told.map(([id = '']) => id);
  expect(new Set(ids).size).toBe(given.length);
  expect(ids[4]).toBe('c');
  for (const id of ids.filter((one) => one !== 'c')) expect(id).toMatch(/^call_\w{24}$/);
});
