import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { fault } from '../../src/faults/fault.ts';
import { createLog, describeError, type LogFields } from '../../src/kit/log.ts';
import { createManualClock } from '../support/manual-clock.ts';

function written(fields: object, event = 'event'): string[] {
  const lines: string[] = [];
  const log = createLog(createManualClock(Date.UTC(2026, 0, 2, 3, 4, 5)), (line) => lines.push(line));
  // Type checks keep unknown fields out of the source; this is about what gets past them.
  log('info', event, fields as LogFields);
  return lines;
}

describe('a log line', () => {
  test('is one line of JSON with time, level and event first', () => {
    expect(written({ count: 2, model: 'auto:free' })).toEqual([
      '{"at":"2026-01-02T03:04:05.000Z","level":"info","event":"event","model":"auto:free","count":2}\n',
    ]);
  });

  test('never holds a field that is not on the list, whatever its name', () => {
    const allowed = [
      'request_id',
      'model',
      'channel',
      'channels',
      'outcome',
      'code',
      'status',
      'ms',
      'count',
      'detail',
    ];
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.constant('SECRET-PROMPT')), (stray) => {
        for (const name of [...allowed, 'account_id', 'key_id', 'node_id', 'endpoint', 'revision', 'cost_nano']) {
          delete stray[name];
        }
        delete stray.url;
        delete stray.file;
        expect(written({ ...stray, model: 'demo' }).join('')).not.toContain('SECRET-PROMPT');
      }),
    );
    for (const name of ['prompt', 'content', 'message', 'messages', 'body', 'headers', 'error', 'stack', 'key', 'ip']) {
      expect(written({ [name]: 'SECRET-PROMPT' }).join('')).not.toContain('SECRET-PROMPT');
    }
  });

  test('leaves out what is not known', () => {
    expect(JSON.parse(written({ channel: undefined, ms: 3 })[0] ?? '')).toEqual({
      at: '2026-01-02T03:04:05.000Z',
      level: 'info',
      event: 'event',
      ms: 3,
    });
  });

  test('stays one line and harmless to a terminal, whatever the text', () => {
    const hostile = fc.string({
      unit: fc.constantFrom('\n', '\r', '\0', '\u001b[31m', '\u007f', '\u009b', '\u0085', '\u2028', '\u2029', 'a', '"'),
    });
    fc.assert(
      fc.property(fc.oneof(hostile, fc.string({ unit: 'binary' })), (text) => {
        const [line = ''] = written({ detail: text });
        expect(line.endsWith('\n')).toBe(true);
        expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
        expect(JSON.parse(line).detail).toBe(text.slice(0, 500));
      }),
    );
  });

  test('cuts a text at 500 characters', () => {
    expect(JSON.parse(written({ detail: 'x'.repeat(501) })[0] ?? '').detail).toBe('x'.repeat(500));
  });
});

describe('describeError', () => {
  test('names the type and the place', () => {
    const described = describeError(new RangeError('SECRET-PROMPT'));
    expect(described).toStartWith('RangeError');
    expect(described).toContain('log.test.ts');
  });

  test('never holds the message, not even one that looks like a stack', () => {
    const frameLike = fc.string({ unit: fc.constantFrom('\n', '    at ', ' ', '(', ')', ':1:2', '/src/', 'x') });
    fc.assert(
      fc.property(fc.oneof(frameLike, fc.string()), (text) => {
        const message = `SECRET${text}\n    at SECRET (/src/SECRET.ts:1:2)\n    at ${text}SECRET`;
        expect(describeError(new Error(message))).not.toContain('SECRET');
        expect(describeError(new Error('outer', { cause: new Error(message) }))).not.toContain('SECRET');
      }),
    );
  });

  test('still names the place when the message looks like a stack', () => {
    expect(describeError(new TypeError('a\n    at b (c.ts:1:2)'))).toContain('log.test.ts');
  });

  test('a message that was changed later leaves no trace of either', () => {
    const error = new Error('SECRET\n    at SECRET (/src/SECRET.ts:1:2)');
    expect(error.stack).toContain('SECRET');
    error.message = 'other SECRET';
    expect(describeError(error)).not.toContain('SECRET');
  });

  test('a fault says why itself, or at least which it is', () => {
    expect(describeError(fault('unavailable', { internal: 'store: away', message: 'SECRET-PROMPT' }))).toBe(
      'store: away',
    );
    expect(describeError(fault('unavailable', { message: 'SECRET-PROMPT' }))).toBe('unavailable');
    expect(describeError(fault('unavailable'))).toBe('unavailable');
  });

  test('names only the type of a value that is no error', () => {
    expect(describeError('SECRET-PROMPT')).toBe('string');
    expect(describeError({ message: 'SECRET-PROMPT' })).toBe('object');
    expect(describeError(undefined)).toBe('undefined');
  });
});
