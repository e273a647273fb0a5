// A chat stream with a picture or a sound in it that breaks off: another run would make another one.

import { describe, expect, test } from 'bun:test';
import { openaiChat } from '../../src/dialects/openai-chat/dialect.ts';
import { readJsonObject } from '../../src/kit/json/json.ts';
import { parseSse } from '../support/sse.ts';

const request = openaiChat.request.read(
  readJsonObject(JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] })),
);

type Delta = Record<string, unknown>;
const TEXT: Delta = { content: 'Here it is.' };
const MEDIA: [what: string, delta: Delta][] = [
  ['a picture', { content: '', images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } }] }],
  ['a sound', { audio: { id: 'audio_1', data: 'QUJD', transcript: 'Meow' } }],
];

/** What the first run says, then all that the second one does. */
function run(first: readonly Delta[], second: readonly Delta[]) {
  const writer = openaiChat.stream.createWriter(request, { keepText: true });
  const eventsOf = (deltas: readonly Delta[]) => {
    const reader = openaiChat.stream.createReader(request);
    const chunks = deltas.map((delta) => ({ id: 'x', choices: [{ index: 0, delta, finish_reason: null }] }));
    return chunks.flatMap((chunk) => reader.read({ event: undefined, data: JSON.stringify(chunk) }));
  };
  const sent = eventsOf(first)
    .map((event) => writer.write(event))
    .join('');
  const text = writer.sentText();
  const continued = writer.continue('fresh');
  const more = eventsOf(second).map(continued.write);
  return { text, more, isWhole: !more.includes('mismatch') && continued.caughtUp(), frames: sent + more.join('') };
}

describe.each(MEDIA)('%s', (_, media) => {
  test('that was sent is not sent again, nor is the answer whole without it', () => {
    expect(run([TEXT, media], [TEXT, media]).more).toContain('mismatch');
    expect(run([TEXT, media], [TEXT]).isWhole).toBe(false);
    expect(run([media], [TEXT]).isWhole).toBe(false);
  });

  test('that was sent leaves no text to go on from', () => {
    expect(run([TEXT, media], []).text).toBeUndefined();
    expect(run([TEXT], []).text).toBe('Here it is.');
  });

  test('that was not sent yet comes after everything that was', () => {
    const { isWhole, frames } = run([TEXT], [TEXT, media]);
    expect(isWhole).toBe(true);
    expect(parseSse(frames).map(({ json }) => json.choices[0].delta)).toEqual([TEXT, media]);
    expect(run([TEXT], [media, TEXT]).more).toContain('mismatch');
  });
});
