// Upstreams that send far too much: cut at a size, told to the client, paid by nobody; and large things that are no flood.

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { type Lab, startLab, TRIAL } from '../support/lab.ts';
import { IS_LONG_RUN } from '../support/long-run.ts';
import { isBytes, type Part, type Script } from '../support/script.ts';
import { WIRE_CLIENTS } from '../support/wire-clients.ts';

const MIB = 1024 * 1024;
/** What one answer may be, and what the sockets between may hold besides. */
const MAX_TAKEN = 96 * MIB;
/** Floods that each format reads in a different way. */
const OF_FORMATS = new Set(['a whole answer without end', 'events without a word']);
let lab: Lab;
let taken = 0;
beforeEach(() => {
  taken = 0;
});
afterEach(() => lab.stop());

/** Each part is made when the kernel has the one before, so this counts what was read, but for what sockets hold. */
function* times(count: number, part: string): Generator<Part> {
  for (let n = 0; n < count; n++) {
    taken += part.length;
    yield part;
  }
}

describe.each(WIRE_CLIENTS)('$name', (client) => {
  const parts = (client.stream({ pieces: ['Hello', ' word'] }).body ?? []).filter(isBytes).map(String);
  const at = parts.findIndex((part) => part.includes('" word"'));
  const begun = parts.slice(0, at);
  const start = async () => {
    lab = await startLab(client, { routes: ['first'] });
  };
  const streamOf = (body: Part[], rest: Iterable<Part>): Script => ({ ...client.stream(), body, rest });

  const endless = (headers: Script['headers'] = {}): Script => {
    const whole = client.whole();
    const rest = times(1_024, 'x'.repeat(MIB));
    return { ...whole, headers: { ...whole.headers, ...headers }, framing: 'chunked', body: ['"'], rest };
  };
  const UNTRUE_LENGTH = { 'content-length': '100' };

  const floods: [what: string, stream: boolean, script: () => Script][] = [
    ['a line without end', true, () => streamOf(['data: "'], times(1_024, 'x'.repeat(MIB)))],
    ['a whole answer without end', false, endless],
    ['a whole answer without end that says how short it is', false, () => endless(UNTRUE_LENGTH)],
    ['an error without end that says how short it is', false, () => ({ ...endless(UNTRUE_LENGTH), status: 400 })],
    ['a whole answer without end where a stream was asked for', true, () => endless(UNTRUE_LENGTH)],
    ['comments', true, () => streamOf([], times(1_024, ':\n\n'.repeat(MIB / 4)))],
    ['empty lines', true, () => streamOf([], times(1_024, '\n'.repeat(MIB)))],
    ['names without data', true, () => streamOf([], times(1_024, 'event: a\n\n'.repeat(MIB / 10)))],
    ['data without a character', true, () => streamOf([], times(1_024, 'data:\n\n'.repeat(MIB / 8)))],
    ['events without a word', true, () => streamOf([], times(1_000_000, parts[0] ?? ''))],
  ];
  // What is no event is read alike for every format.
  const isRead = ([what]: (typeof floods)[number]) => IS_LONG_RUN || client === WIRE_CLIENTS[0] || OF_FORMATS.has(what);
  test.each(floods.filter(isRead))(
    '%s: cut at a size, another channel would be tried, nothing is charged',
    async (_what, stream, script) => {
      await start();
      lab.first.otherwise(script());
      const { status, attempts, json } = await lab.ask({ stream });
      expect(status).toBe(502);
      expect(JSON.stringify(json).length).toBeLessThan(2_000);
      expect(attempts).toEqual([['first', 'flood']]);
      expect(taken).toBeLessThan(MAX_TAKEN);
      expect(await lab.balance()).toBe(TRIAL);
    },
  );

  const longWord = (parts[at] ?? '').replace(' word', ' word'.repeat(20_000));

  test('words without end are ended at the output bound, which is paid', async () => {
    await start();
    lab.first.otherwise(streamOf(begun, times(2_000, longWord)));
    const text = await (await lab.open({ stream: true, max_tokens: 100 })).text();
    expect(text.length).toBeLessThan(MIB);
    expect(text).not.toContain('"error":{');
    const [record] = await lab.records();
    expect(record).toMatchObject({ status: 'ok', output_tokens: 100, estimated: true });
    expect(taken).toBeLessThan(MAX_TAKEN);
  });

  test('a line of 8 MB is no flood', async () => {
    await start();
    const text = '長'.repeat((8 * MIB) / 3);
    lab.first.otherwise(client.stream({ pieces: [text, '.'] }));
    const { answer } = await lab.ask({ stream: true });
    expect(answer.complete).toBe(true);
    expect(answer.content[client.textSlot] === `${text}.`).toBe(true);
  });

  test('a gzipped stream is read as it was meant', async () => {
    await start();
    const script = client.stream();
    const whole = Bun.gzipSync(Buffer.from((script.body ?? []).filter(isBytes).join('')));
    lab.first.otherwise({ ...script, headers: { ...script.headers, 'content-encoding': 'gzip' }, body: [whole] });
    const { answer } = await lab.ask({ stream: true });
    expect(answer).toMatchObject({ complete: true, content: { [client.textSlot]: 'Hello there' } });
    expect(lab.first.requests[0]?.headers['accept-encoding']).toBe('identity');
  });
});
