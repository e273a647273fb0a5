// The small machines that every translated stream runs through.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { AnswerEvent, Block } from '../../../src/dialects/translate/answer-events.ts';
import type { Tool } from '../../../src/dialects/translate/conversation.ts';
import { createSequencer } from '../../../src/dialects/translate/one-block-at-a-time.ts';
import { createStopMatcher } from '../../../src/dialects/translate/stop-sequences.ts';
import { createToolRestorer } from '../../../src/dialects/translate/tools/tool-arguments.ts';
import { createToolNames } from '../../../src/dialects/translate/tools/tool-names.ts';

const TEXT: Block = { kind: 'text' };
const call = (id: string): Block => ({ kind: 'tool', id, name: `tool_${id}` });
const delta = (text: string): AnswerEvent => ({ type: 'delta', text });
const picture = (text: string): AnswerEvent => ({ type: 'delta', text, isMedia: true });

describe('one block at a time', () => {
  test('words may be interrupted and go on in a block of their own', () => {
    const sequence = createSequencer();
    const events = [
      ...sequence.add('text', () => TEXT, 'a'),
      ...sequence.add('thought', () => ({ kind: 'reasoning' }), 'b'),
      ...sequence.add('text', () => TEXT, 'c'),
      ...sequence.flush(),
    ];
    expect(events.map(({ type }) => type).join(' ')).toBe('open delta close open delta close open delta close');
  });

  test('a call is never interrupted: what comes between waits, and keeps its order', () => {
    const sequence = createSequencer();
    const events = [
      ...sequence.add('0', () => call('0'), '{"a"'),
      ...sequence.add('1', () => call('1'), '{"b"'),
      ...sequence.add('0', () => call('0'), ':0}'),
      ...sequence.add('text', () => TEXT, 'so'),
      ...sequence.add('1', () => call('1'), ':1}'),
      ...sequence.flush(),
    ];
    expect(events).toEqual([
      { type: 'open', block: call('0') },
      delta('{"a"'),
      delta(':0}'),
      { type: 'close' },
      { type: 'open', block: call('1') },
      delta('{"b":1}'),
      { type: 'close' },
      { type: 'open', block: TEXT },
      delta('so'),
      { type: 'close' },
    ]);
  });

  test('a picture that waits stays apart from the words around it', () => {
    const sequence = createSequencer();
    const events = [
      ...sequence.add('0', () => call('0'), '{}'),
      ...['a', 'b'].flatMap((text) => sequence.add('text', () => TEXT, text)),
      ...sequence.add('text', () => TEXT, '![]()', true),
      ...['c', 'd'].flatMap((text) => sequence.add('text', () => TEXT, text)),
      ...sequence.flush(),
    ];
    expect(events.slice(4)).toEqual([delta('ab'), picture('![]()'), delta('cd'), { type: 'close' }]);
  });

  test('in any order, nothing is lost and no two blocks are open', () => {
    const pieces = fc.array(fc.tuple(fc.constantFrom('text', 'thought', 'c0', 'c1', 'c2'), fc.string()));
    fc.assert(
      fc.property(pieces, (given) => {
        const sequence = createSequencer();
        const blockOf = (slot: string): Block =>
          slot === 'text' ? TEXT : slot === 'thought' ? { kind: 'reasoning' } : call(slot);
        const events = [...given.flatMap(([slot, text]) => sequence.add(slot, () => blockOf(slot), text))];
        events.push(...sequence.flush());
        const said = new Map<string, string>();
        let open: Block | undefined;
        for (const event of events) {
          if (event.type === 'open') {
            expect(open).toBeUndefined();
            open = event.block;
          }
          if (event.type === 'close') {
            expect(open).toBeDefined();
            open = undefined;
          }
          if (event.type !== 'delta' || !open) continue;
          const slot = open.kind === 'tool' ? open.id : open.kind === 'text' ? 'text' : 'thought';
          said.set(slot, (said.get(slot) ?? '') + event.text);
        }
        expect(open).toBeUndefined();
        for (const slot of new Set(given.map(([name]) => name))) {
          const whole = given.filter(([name]) => name === slot).map(([, text]) => text);
          expect(said.get(slot) ?? '').toBe(whole.join(''));
        }
      }),
      { seed: 7 },
    );
  });
});

describe('stop sequences matched here', () => {
  const run = (sequences: string[], pieces: string[]) => {
    const match = createStopMatcher(sequences).take;
    const events: AnswerEvent[] = [{ type: 'open', block: TEXT }, ...pieces.map(delta), { type: 'close' }];
    return [...events, { type: 'stop', reason: 'length' } as const].flatMap(match);
  };
  const said = (events: AnswerEvent[]) => events.map((event) => (event.type === 'delta' ? event.text : '')).join('');

  test('a picture holds none, and comes after the words before it', () => {
    const events: AnswerEvent[] = [{ type: 'open', block: TEXT }, delta('one S'), picture('![](STOP)'), delta('TOP')];
    const matched = [...events, { type: 'close' } as const].flatMap(createStopMatcher(['STOP']).take);
    expect(said(matched)).toBe('one S![](STOP)TOP');
    expect(matched).toContainEqual(picture('![](STOP)'));
  });

  test('the answer ends before the first that comes, wherever it is split', () => {
    const events = run(['STOP', '##'], ['one S', 'TO', 'Ptwo ##']);
    expect(said(events)).toBe('one ');
    expect(events.slice(-3)).toEqual([
      { type: 'close' },
      { type: 'stop', reason: 'end', sequence: 'STOP' },
      { type: 'done' },
    ]);
  });

  test('what only looks like a beginning is not lost', () => {
    const events = run(['STOP'], ['one STO', 'NE', ' ST']);
    expect(said(events)).toBe('one STONE ST');
    expect(events.at(-1)).toEqual({ type: 'stop', reason: 'length' });
  });

  test('for any text in any chunks it is the text before the sequence that was complete first', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '你') });
    const sequences = fc.array(fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1 }));
    fc.assert(
      fc.property(fc.array(letters), sequences, (pieces, stops) => {
        const whole = pieces.join('');
        // Letter by letter, as the model says it.
        const upTo = [...whole].map((_, index) => whole.slice(0, index + 1));
        const ended = upTo.find((said_) => stops.some((stop) => said_.endsWith(stop)));
        const longest = Math.max(0, ...stops.filter((stop) => ended?.endsWith(stop)).map(({ length }) => length));
        expect(said(run(stops, pieces))).toBe(ended === undefined ? whole : ended.slice(0, ended.length - longest));
      }),
      { numRuns: 2_000, seed: 7 },
    );
  });
});

describe('tools as the client knows them', () => {
  const tool = (name: string, isCustom = false): Tool => ({
    name,
    description: undefined,
    schema: undefined,
    strict: undefined,
    isCustom,
    at: 'tools[0]',
  });
  const long = `${'x'.repeat(70)}.dots`;
  const names = createToolNames([tool(long), tool('patch', true)], /^[\w-]+$/, 64);
  const restore = () => createToolRestorer({ names, formatTool: 'answer_format' });
  const run = (events: AnswerEvent[]) => events.flatMap(restore());

  test('a name that does not fit gets another, and its own back', () => {
    const there = names.toUpstream(long);
    expect(there).toMatch(/^[\w-]{1,64}$/);
    expect(names.toUpstream('fits')).toBe('fits');
    expect(run([{ type: 'open', block: { kind: 'tool', id: '1', name: there } }])).toMatchObject([
      { block: { name: long } },
    ]);
  });

  test('a name that the model made up passes as it is', () => {
    const events: AnswerEvent[] = [{ type: 'open', block: { kind: 'tool', id: '1', name: 'invented' } }];
    expect(run(events)).toEqual(events);
  });

  test.each([
    ['{"input":"*** Begin\\nPatch"}', '*** Begin\nPatch'],
    ['{"other":1}', '{"other":1}'],
    ['no JSON', 'no JSON'],
  ])('a custom tool gets its free text: %p', (json, text) => {
    const events = run([
      { type: 'open', block: { kind: 'tool', id: '1', name: 'patch' } },
      ...[...json].map(delta),
      { type: 'close' },
    ]);
    expect(events.slice(1)).toEqual([delta(text), { type: 'close' }]);
  });

  test('an answer in its format beside calls waits for their results', () => {
    const events = run([
      ...['answer_format', 'patch'].flatMap((name): AnswerEvent[] => [
        { type: 'open', block: { kind: 'tool', id: name, name } },
        delta('{}'),
        { type: 'close' },
      ]),
      { type: 'stop', reason: 'tool' },
    ]);
    expect(events.at(-1)).toEqual({ type: 'stop', reason: 'tool' });
  });

  test('the tool that stands for the format is the answer itself', () => {
    const events = run([
      { type: 'open', block: { kind: 'tool', id: '1', name: 'answer_format' } },
      delta('{"a":1}'),
      { type: 'close' },
      { type: 'stop', reason: 'tool' },
    ]);
    expect(events).toEqual([
      { type: 'open', block: TEXT },
      delta('{"a":1}'),
      { type: 'close' },
      { type: 'stop', reason: 'end' },
    ]);
  });
});
