// Forms: what any client writes is read byte by byte and written again the same, and what is broken is refused with a reason.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { isMultipart, MultipartRefused, readBoundary, readMultipart, writeMultipart } from '../../src/kit/multipart.ts';

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));
const part = (head: string, data = 'x') => `--b\r\n${head}\r\n\r\n${data}\r\n`;
const FIELD = 'Content-Disposition: form-data; name="a"';

describe('a form', () => {
  const name = fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom(...'abc_[]."%é') });
  const data = fc.uint8Array({ maxLength: 60 }).map((bytes) => new Uint8Array(bytes));
  const fields = fc.array(fc.tuple(name, data, fc.option(name)), { minLength: 1, maxLength: 6 });

  test('of the runtime is read as it was, and written for another reader', async () => {
    await fc.assert(
      fc.asyncProperty(fields, async (all) => {
        const form = new FormData();
        for (const [field, bytes, filename] of all) form.append(field, new Blob([bytes]), filename ?? 'blob');
        const sent = new Response(form);
        const boundary = readBoundary(sent.headers.get('content-type') ?? '');
        const parts = readMultipart(new Uint8Array(await sent.arrayBuffer()), boundary);
        expect(parts.map(({ bytes }) => Buffer.from(bytes).toString('hex'))).toEqual(
          all.map(([, bytes]) => Buffer.from(bytes).toString('hex')),
        );
        const type = `multipart/form-data; boundary="${boundary}"`;
        const again = new Response(writeMultipart(parts, boundary), { headers: { 'content-type': type } });
        const read = [...(await again.formData()).entries()];
        expect(read.map(([field]) => field.replaceAll('%22', '"'))).toEqual(all.map(([field]) => field));
        for (const [index, [, value]] of read.entries()) {
          if (!((value as unknown) instanceof File)) throw new Error('a file became a text');
          expect(
            Buffer.from(await (value as unknown as File).arrayBuffer()).equals(Buffer.from(all[index]?.[1] ?? [])),
          ).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('any bytes are read or refused, never something else', () => {
    const piece = fc.constantFrom('--b', '\r\n', '--', '\r\n--b', FIELD, '; filename="f"', '\r\n\r\n', 'x', '\0', ':');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        try {
          readMultipart(bytesOf(pieces.join('')), 'b');
        } catch (error) {
          expect(error).toBeInstanceOf(MultipartRefused);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['an empty body', '', 'The body does not begin with the boundary'],
    ['another boundary', part(FIELD).replaceAll('--b', '--c'), 'The body does not begin with the boundary'],
    ['no closing boundary', part(FIELD), 'closing boundary is missing'],
    ['a part without an end', `--b\r\n${FIELD}\r\n\r\nx`, 'closing boundary is missing'],
    ['a longer boundary inside', `${part(FIELD)}--bc\r\n`, 'is not followed by a new line'],
    ['a head without an end', `--b\r\n${FIELD}`, 'The head of part 1, at byte 3, has no end'],
    [
      'a head that is too long',
      part(`${FIELD}; x="${'x'.repeat(9_000)}"`),
      'The head of part 1, at byte 3, has no end',
    ],
    ['two names of one part', part(`${FIELD}\r\n${FIELD}`), 'a line that cannot be read'],
    ['no name', part('Content-Disposition: form-data; filename="f"'), 'Part 1 has no name'],
    ['no disposition', part('Content-Type: text/plain'), 'no content-disposition form-data'],
    ['a part in base64', part(`${FIELD}\r\nContent-Transfer-Encoding: base64`), 'Part 1 is encoded'],
    ['too many parts', part(FIELD).repeat(65), 'more than 64 parts'],
  ])('%s is refused', (_name, body, reason) => {
    expect(() => readMultipart(bytesOf(body), 'b')).toThrow(reason);
  });

  test.each([
    ['no text', `${part(FIELD, '')}--b--`, ['']],
    ['text with new lines', `${part(FIELD, '\r\n--\r\n')}--b--\r\nafter`, ['\r\n--\r\n']],
    ['two fields', `${part(FIELD)}${part(FIELD, 'y')}--b--\r\n`, ['x', 'y']],
    ['no fields', '--b--', []],
  ])('%s is read', (_name, body, texts) => {
    expect(readMultipart(bytesOf(body), 'b').map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(texts);
  });

  test.each([
    ['filename="a\\"b.wav"', 'a"b.wav'],
    ['filename=plain.wav', 'plain.wav'],
    ["filename*=utf-8''%E8%81%B2.wav", '聲.wav'],
    ["filename*=utf-8''%E8", 'file'],
  ])('%s names the file', (parameter, filename) => {
    const [found] = readMultipart(bytesOf(`${part(`${FIELD}; ${parameter}`)}--b--`), 'b');
    expect(found?.filename).toBe(filename);
  });

  test('a large one with many near boundaries takes no longer than its size', () => {
    const near = '\r\n--boundary-of-forty-characters-0123456789'.slice(0, -1);
    const data = near.repeat(400_000);
    const body = bytesOf(`--${near.slice(4)}9\r\n${FIELD}\r\n\r\n${data}${near}9--`);
    const started = performance.now();
    expect(readMultipart(body, `${near.slice(4)}9`)).toHaveLength(1);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

test.each([
  ['multipart/form-data; boundary=abc', 'abc'],
  ['Multipart/Form-Data; charset=utf-8; boundary="a b"', 'a b'],
])('%s has a boundary', (type, boundary) => {
  expect(isMultipart(type)).toBe(true);
  expect(readBoundary(type)).toBe(boundary);
});

test.each(['multipart/form-data', 'multipart/form-data; boundary=', `multipart/form-data; boundary=${'x'.repeat(71)}`])(
  '%s has none',
  (type) => {
    expect(() => readBoundary(type)).toThrow('no readable boundary');
  },
);
