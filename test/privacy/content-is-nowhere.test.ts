// No prompt and no reply is in anything the service writes. Marked text goes down every path there is, the process is
// killed in the middle of a stream, and then every byte it left is searched.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from '../support/answer.ts';
import { eventually } from '../support/eventually.ts';
import { sseEvents } from '../support/sse.ts';
import { createWorkplace, logged, type RunningServer, type Workplace } from '../support/start-process.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';
import { createMark, filesBelow, findMark, findMarkIn } from './find-mark.ts';
import { endlessStream, markedCalls, markedDocument, sendMarked, type ToldFault } from './marked-calls.ts';

const mark = createMark();
const TEXT = Array.from({ length: 40 }, () => mark.join(' ')).join(' ');
const [WORD = ''] = mark;

let upstream: ScriptedUpstream;
let place: Workplace;
let server: RunningServer;
let key: string;
let emptyKey: string;
const written: string[] = [];
const faults: ToldFault[] = [];

beforeAll(async () => {
  upstream = await startUpstream();
  place = createWorkplace();
  mkdirSync(place.path('tmp'));
  place.write('gateway.yaml', markedDocument(upstream.baseUrl));
  server = await place.serve({ TMPDIR: place.path('tmp') });
  key = await register();
  emptyKey = await register();
  for (let i = 0; i < 3; i++) await chat(emptyKey, { model: 'auto:free', max_tokens: 1 });
});
afterAll(async () => {
  await place.remove();
  await upstream.close();
});

async function register(): Promise<string> {
  const response = await fetch(`${server.url}/api/agent/register`, { method: 'POST' });
  return ((await response.json()) as Answer).api_key;
}
const chat = (apiKey: string, body: Record<string, unknown>, signal?: AbortSignal) =>
  fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ messages: [{ role: 'user', content: TEXT }], ...body }),
    ...(signal ? { signal } : {}),
  });

/** Reads a stream until its first words are there. */
async function firstWords(response: Response): Promise<void> {
  for await (const event of sseEvents(response)) if (event.json?.choices?.[0]?.delta?.content) return;
  throw new Error('the stream ended without a word');
}

describe('marked text', () => {
  test('goes down every path', async () => {
    faults.push(...(await sendMarked(server.url, upstream, markedCalls(TEXT, WORD, key, emptyKey))));
    expect(new Set(faults.map(({ status }) => status))).toEqual(
      new Set([400, 401, 402, 404, 405, 409, 413, 429, 502, 503]),
    );
  });

  test('goes to clients that leave in the middle', async () => {
    upstream.otherwise(endlessStream(TEXT));
    for (const model of ['up-paid', 'auto:free']) {
      const leaving = new AbortController();
      await firstWords(await chat(await register(), { model, stream: true }, leaving.signal));
      leaving.abort();
    }
    await eventually('both calls to be closed', () => {
      const ends = logged(server, 'request').filter(({ outcome }) => outcome === 'client_gone');
      return ends.length === 2;
    });
  });

  test('is under way when the process is killed', async () => {
    upstream.reset();
    upstream.otherwise(endlessStream(TEXT));
    await firstWords(await chat(await register(), { model: 'up-paid', stream: true }));
    expect(upstream.requests[0]?.body).toContain(WORD);
    server.signal('SIGKILL');
    const { stdout, stderr } = await server.ended;
    written.push(stdout, stderr);
    expect(filesBelow(place.dataDir)).toContain('gateway.sqlite-wal');
    expect(findMarkIn(mark, place.folder)).toEqual([]);
  });

  test('is gone from a gateway that starts on what was left, too', async () => {
    server = await place.serve({ TMPDIR: place.path('tmp') });
    server.signal('SIGTERM');
    const { stdout, stderr } = await server.ended;
    written.push(stdout, stderr);
  });
});

describe('afterwards it stands', () => {
  test('in no file: database, write-ahead log, secrets, temporary files, dumps', () => {
    expect(filesBelow(place.dataDir)).toEqual(expect.arrayContaining(['gateway.sqlite', 'pepper']));
    expect(findMarkIn(mark, place.folder)).toEqual([]);
  });

  test('in no line of the log', () => {
    expect(written.join('')).toContain('"event":"request"');
    expect(written.join('')).toContain('"level":"alarm"');
    expect(findMark(mark, Buffer.from(written.join('\n')))).toEqual([]);
  });

  test('in no fault', () => {
    const told = faults.filter(({ text }) => findMark(mark, Buffer.from(text)).length > 0);
    expect(told.map(({ what }) => what)).toEqual([]);
  });

  test('and would have been found: planted in the same folder, it is', () => {
    writeFileSync(join(place.dataDir, 'control'), `before ${Buffer.from(TEXT).toString('base64')} after`);
    expect(findMarkIn(mark, place.folder)).toEqual(mark.map((word) => `data/control: ${word} as base64`));
  });
});
