import { expect, test } from 'bun:test';
import { checkSettings } from '../../../src/dialects/translate/check-settings.ts';
import { Fault } from '../../../src/faults/fault.ts';

test('a setting that must be a number is refused by the client’s name for it', () => {
  let thrown: unknown;
  try {
    checkSettings([
      { kind: 'stop', name: 'stop', value: ['x'] },
      { kind: 'temperature', name: 'temperature', value: 'hot' },
    ]);
  } catch (error) {
    thrown = error;
  }
  if (!(thrown instanceof Fault)) throw new Error('nothing was refused');
  expect(thrown.details).toMatchObject({ param: 'temperature', message: 'temperature must be a number.' });
});

test('numbers, and what is no number anywhere, pass', () => {
  checkSettings([
    { kind: 'temperature', name: 'temperature', value: 0.2 },
    { kind: 'logprobs', name: 'logprobs', value: true },
    { kind: 'other', name: 'temperature_unit', value: 'K' },
  ]);
});
