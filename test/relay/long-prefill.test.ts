// What was sent is kept so that another route can continue it, but only so much: of a longer answer nothing is kept, and it
// goes on by a run from the start.

import { afterEach, describe, expect, test } from 'bun:test';
import { createGate } from '../support/eventually.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { bytesOf, cutAt, type Script } from '../support/script.ts';
import { WIRE_CLIENTS } from '../support/wire-clients.ts';

const MAX_KEPT = 1024 * 1024;
const PIECE = 'word '.repeat(2_000);
const LAST = ' beta';
const END = ' and the end.';
/** After the words that were read, so that nothing is lost with the connection but this. */
const COMMENT = ': that was all\n\n';

let lab: Lab;
afterEach(() => lab.stop());

/** An answer of so many characters. */
function pieces(chars: number): string[] {
  const count = Math.floor((chars - LAST.length) / PIECE.length);
  const rest = 'x'.repeat(chars - LAST.length - count * PIECE.length);
  return [...Array.from({ length: count }, () => PIECE), rest, LAST];
}

/** The same bytes; `onRead` when the text was there. */
function watched(response: Response, text: string, onRead: () => void): Response {
  const decoder = new TextDecoder();
  let tail = '';
  const watch = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      tail = tail.slice(-text.length) + decoder.decode(bytes, { stream: true });
      if (tail.includes(text)) onRead();
      controller.enqueue(bytes);
    },
  });
  return new Response(response.body?.pipeThrough(watch), response);
}

describe.each(WIRE_CLIENTS)('$name', (client) => {
  /** Broken when the client has read all of it. */
  async function askForLong(said: readonly string[], again: readonly string[]) {
    lab = await startLab(client, {
      second: { prefill: true },
      main: { context_tokens: 1_000_000, max_output_tokens: 1_000_000, price: { input: 0.1, output: 0.1 } },
    });
    const isRead = createGate();
    const parts = (client.stream({ pieces: said }).body ?? []).map(String);
    const begun = parts.slice(0, parts.findIndex((part) => part.includes(LAST)) + 1);
    const whole: Script = { ...client.stream(), body: [...begun, isRead.opened, COMMENT, 'x'] };
    lab.first.next(cutAt(whole, bytesOf(begun.join('') + COMMENT).byteLength, 'fin'));
    lab.first.otherwise(client.refusal(500, 'other'));
    lab.second.next(client.stream({ pieces: again }));
    const response = await lab.open({ stream: true, max_tokens: 900_000 });
    const asked = await lab.read(watched(response, LAST, isRead.open));
    expect(asked.attempts.at(-1)).toEqual(['second', 'ok']);
    expect(asked.answer).toMatchObject({ complete: true, error: undefined });
    expect(asked.answer.content[client.textSlot] === said.join('') + END).toBe(true);
    return client.prefillOf(lab.second.requests[0]?.json);
  }

  test('1 Mi characters are given to the route that continues', async () => {
    const said = pieces(MAX_KEPT);
    const prefill = await askForLong(said, [END]);
    expect(prefill?.length).toBe(MAX_KEPT);
    expect(prefill === said.join('')).toBe(true);
  });

  test('of one more nothing is: it answers from the start', async () => {
    const said = pieces(MAX_KEPT + 1);
    expect(await askForLong(said, [...said, END])).toBeUndefined();
  });
});
