// A recorded stream of an upstream in any pieces, with any line ends, and with comments in between: the client of another
// dialect gets the same, to the byte. `npm test` takes a share of the ways to cut, `npm run test:long` all of them.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cutFetch, piecesOf } from '../support/cut-fetch.ts';
import { IS_LONG_RUN, RUN_SEED } from '../support/long-run.ts';
import { untilHeard } from '../support/race.ts';
import type { Script } from '../support/script.ts';
import { RECORDINGS, type Recording } from './recordings.ts';
import { CLIENTS, type ClientName, PAIRS, requestOf } from './sides.ts';
import { startTranslationGateway, type TranslationGateway } from './translation-gateway.ts';

const ENDINGS = { LF: '\n', CRLF: '\r\n', CR: '\r' };
const RANDOM_CUTS = IS_LONG_RUN ? 4 : 2;
/** A recording and pair takes every second way, the next one the others. */
const SHARE = IS_LONG_RUN ? 1 : 2;

let setting: TranslationGateway;
const scripts = new Map<number, Script>();

beforeAll(async () => {
  setting = await startTranslationGateway(
    PAIRS.map(([client, upstream]) => ({ case: { name: 'any pieces' }, client, upstream })),
    { fetch: cutFetch },
  );
  setting.gateway.upstream.otherwise(({ body }) => {
    const script = scripts.get(Number(/Play (\d+)/.exec(body)?.[1]));
    if (!script) throw new Error('a request without its script');
    return script;
  });
});
afterAll(() => setting.stop());

const recorded = (frames: readonly string[], ending: string): Script => ({
  headers: { 'content-type': 'text/event-stream; charset=utf-8' },
  framing: 'chunked',
  body: [frames.join('').replaceAll('\n', ending)],
});

/** Comments and empty lines, as upstreams send them to keep a connection open. */
function withComments(frames: readonly string[]): string[] {
  return [': PROCESSING\n\n', ...frames.flatMap((frame, index) => [frame, index % 2 ? ': keep-alive\n\n' : '\n'])];
}

const inPieces = (script: Script, ...sizes: number[]): Script => ({
  ...script,
  headers: { ...script.headers, ...piecesOf(...sizes) },
});

/** Cuts anywhere, also inside a character. */
function atRandom(script: Script, seed: number): Script {
  let state = seed;
  const next = (most: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % most;
  };
  return inPieces(script, ...Array.from({ length: 100 }, () => 1 + next(40)));
}

const PROMPTS: Record<ClientName, (text: string) => object> = {
  chat: (content) => ({ messages: [{ role: 'user', content }] }),
  messages: (content) => ({ messages: [{ role: 'user', content }] }),
  responses: (input) => ({ input }),
  gemini: (text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
};

let played = 0;
/** Of the recordings, with each pair. */
let started = 0;

async function play(client: ClientName, { upstream }: Recording, script: Script): Promise<string> {
  const number = played++;
  scripts.set(number, script);
  const asked = `Play ${number}`;
  const { path, body } = requestOf(client, {
    ...CLIENTS[client].body({ stream: true }),
    ...PROMPTS[client](asked),
    model: setting.modelOf({ case: { name: 'any pieces' }, client, upstream }),
  });
  const call = () => setting.gateway.call(path, { key: setting.key, body });
  const response = await untilHeard(call);
  const text = await response.text();
  const told = CLIENTS[client].readStream(text);
  expect(told.complete, text).toBe(true);
  return withoutIds(text);
}

/** Ids, times and what was asked differ from call to call; what it costs differs with what was asked. */
function withoutIds(text: string): string {
  return text
    .replaceAll(/req_[0-9a-z]+|(?<=(?:msg|resp|rs|fc|ctc|call|toolu)_)[0-9a-z]{20,}/g, 'ID')
    .replaceAll(/"(created|created_at|completed_at)":\d+/g, '"$1":0')
    .replaceAll(/"cost_(ntd|nano)":[^,}]+/g, '"cost_$1":0')
    .replaceAll(/"(input_tokens)":\d+/g, '"$1":0');
}

describe.each(PAIRS.map(([client, upstream]) => ({ client, upstream })))(
  '$upstream to $client',
  ({ client, upstream }) => {
    test.each(RECORDINGS.filter((recording) => recording.upstream === upstream))('$what', async (recording) => {
      const { frames } = recording;
      const expected = await play(client, recording, recorded(frames, '\n'));
      const first = started++ + RUN_SEED;
      let ways = 0;
      for (const [name, ending] of Object.entries(ENDINGS)) {
        const whole = recorded(frames, ending);
        const commented = recorded(withComments(frames), ending);
        const variants: [string, Script][] = [
          ['whole', whole],
          ['with comments, byte by byte', inPieces(commented, 1)],
          ...Array.from({ length: RANDOM_CUTS }, (_, index): [string, Script] => [
            `random cuts by seed ${RUN_SEED + index}`,
            atRandom(index % 2 ? commented : whole, RUN_SEED + index),
          ]),
        ];
        if (name === 'LF' || IS_LONG_RUN) {
          variants.push(['byte by byte', inPieces(whole, 1)], ['with comments', commented]);
        }
        const taken = variants.filter(() => (first + ways++) % SHARE === 0);
        const answers = await Promise.all(taken.map(([, script]) => play(client, recording, script)));
        for (const [index, answer] of answers.entries()) {
          expect(answer, `${name}, ${taken[index]?.[0]}`).toBe(expected);
        }
      }
    });
  },
);
