// Turns in an order that every upstream takes, or a refusal that names the place.

import { describe, expect, test } from 'bun:test';
import { arrangeTurns } from '../../../src/dialects/translate/arrange-turns.ts';
import type { Part, Turn } from '../../../src/dialects/translate/conversation.ts';
import { Fault } from '../../../src/faults/fault.ts';

const text = (words: string): Part => ({ type: 'text', text: words, at: 'text' });
const call = (id: string): Part => ({
  type: 'tool_call',
  id,
  name: 'dig',
  arguments: '{}',
  isCustom: false,
  at: `call ${id}`,
});
const result = (callId: string): Part => ({
  type: 'tool_result',
  callId,
  content: [{ type: 'text', text: `done ${callId}`, at: '' }],
  isError: false,
  at: `result ${callId}`,
});
const turn = (role: Turn['role'], ...parts: Part[]): Turn => ({ role, parts, at: role });

/** Role and a word for each part. */
function shape(turns: readonly Turn[], midSystem: 'keep' | 'fold' = 'fold'): string[] {
  return arrangeTurns(turns, { midSystem }).map(({ role, parts }) => {
    const words = parts.map((part) => {
      if (part.type === 'tool_call') return `call ${part.id}`;
      if (part.type === 'tool_result') return `${part.isError ? 'missing' : 'result'} ${part.callId}`;
      return part.type === 'text' ? part.text : part.type;
    });
    return `${role}: ${words.join(', ')}`;
  });
}

function refusedAt(turns: readonly Turn[]): unknown {
  try {
    arrangeTurns(turns, { midSystem: 'fold' });
  } catch (error) {
    return error instanceof Fault ? error.details.param : error;
  }
  return 'accepted';
}

test('turns of one role in a row become one, their parts apart', () => {
  expect(
    shape([
      turn('user', text('a')),
      turn('user', text('b')),
      turn('assistant', text('c')),
      turn('assistant', text('d')),
    ]),
  ).toEqual(['user: a, b', 'assistant: c, d']);
});

describe('results', () => {
  test('stand right after the turn that called for them, whatever order they came in', () => {
    const turns = [
      turn('user', text('go')),
      turn('assistant', call('a'), call('b')),
      turn('user', result('b')),
      turn('user', text('and now'), result('a')),
    ];
    expect(shape(turns)).toEqual(['user: go', 'assistant: call a, call b', 'user: result a, result b, and now']);
  });

  test('are moved up to their call over other turns', () => {
    const turns = [
      turn('assistant', call('a')),
      turn('user', text('wait')),
      turn('assistant', text('yes?')),
      turn('user', result('a')),
    ];
    expect(shape(turns)).toEqual(['assistant: call a', 'user: result a, wait', 'assistant: yes?']);
  });

  test('that are missing are said to be missing', () => {
    const turns = [
      turn('assistant', text(''), call('a'), call('b')),
      turn('user', result('b')),
      turn('assistant', text('so')),
    ];
    expect(shape(turns)).toEqual(['assistant: call a, call b', 'user: missing a, result b', 'assistant: so']);
  });

  test('are not made up for calls that stand last', () => {
    expect(shape([turn('user', text('go')), turn('assistant', call('a'))])).toEqual(['user: go', 'assistant: call a']);
  });

  test.each([
    ['without a call', [turn('user', text('go'), result('x'))], 'result x'],
    ['before their call', [turn('user', result('a')), turn('assistant', call('a'))], 'result a'],
    ['given twice', [turn('assistant', call('a')), turn('user', result('a'), result('a'))], 'result a'],
  ])('%s are refused by their place', (_, turns, place) => {
    expect(refusedAt(turns)).toBe(place);
  });
});

describe('a system turn in the middle', () => {
  const turns = [
    turn('user', text('a')),
    turn('system', text('S')),
    turn('assistant', text('b')),
    turn('system', text('T')),
    turn('user', text('c')),
  ];

  test('is folded into the user turn beside it, in its place', () => {
    expect(shape(turns)).toEqual(['user: a, S', 'assistant: b', 'user: T, c']);
  });

  test('stays where it is', () => {
    expect(shape(turns, 'keep')).toEqual(['user: a', 'system: S', 'assistant: b', 'system: T', 'user: c']);
  });

  test('never comes between a call and its result', () => {
    expect(shape([turn('assistant', call('a')), turn('system', text('S')), turn('user', result('a'))])).toEqual([
      'assistant: call a',
      'user: result a, S',
    ]);
  });
});

describe('nothing empty', () => {
  test('goes on', () => {
    expect(
      shape([turn('user', text('')), turn('user', text('a')), turn('assistant', text('')), turn('user', text('b'))]),
    ).toEqual(['user: a, b']);
  });

  test('is all that is left: refused', () => {
    expect(refusedAt([{ ...turn('user', text('')), at: 'input[0]' }])).toBe('input');
    expect(refusedAt([])).toBe('messages');
  });
});
