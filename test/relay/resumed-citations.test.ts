// A chat stream that breaks and goes on tells beside its words what the whole one would have told: each citation, each
// signature and each field that nobody knows, once.

import { afterEach, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { messageEvents } from '../support/anthropic-messages.ts';
import { createGate } from '../support/eventually.ts';
import { costAt, type Lab, type LabOptions, MAIN, startLab } from '../support/lab.ts';
import { chatChunks, sseScript, sseText } from '../support/openai-chat.ts';
import { breakAfter, type Script } from '../support/script.ts';
import { sseEvents } from '../support/sse.ts';
import { wireClient } from '../support/wire-clients.ts';

const client = wireClient('chat');
let lab: Lab;
afterEach(() => lab.stop());

interface Run {
  script: Script;
  /** Parts of it that the client reads before the break. */
  parts: number;
  /** What the client has read then. */
  read: string;
}

/** The deltas of a stream whose first run breaks. */
async function ask({ script, parts, read }: Run, again: Script, options: LabOptions): Promise<Answer[]> {
  lab = await startLab(client, options);
  const isRead = createGate();
  lab.first.next(breakAfter(script, parts, isRead.opened));
  lab.second.next(again);
  lab.first.otherwise(client.refusal(500, 'other'));
  const response = await lab.open({ stream: true });
  const deltas: Answer[] = [];
  for await (const { data, json } of sseEvents(response)) {
    expect(json?.error).toBeUndefined();
    if (data.includes(read)) isRead.open();
    if (json?.choices?.[0]) deltas.push(json.choices[0].delta);
  }
  const [record] = await lab.records();
  expect(record).toMatchObject({ status: 'ok' });
  if (!options.second?.prefill) expect(record.cost_nano).toBe(costAt(MAIN, 11, 7));
  expect(lab.second.requests).toHaveLength(1);
  return deltas;
}

const cite = (url: string) => ({ annotations: [{ type: 'url_citation', url_citation: { url } }] });
const MOOD = { mood: 'good' };
const deltaText = (delta: unknown) => sseText(JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] }));
/** The role, `pieces` with what else is told, then the end. */
function chatScript(...deltas: unknown[]): Script {
  const ends = chatChunks({ pieces: [] }).map((chunk) => sseText(JSON.stringify(chunk)));
  return sseScript([ends[0] ?? '', ...deltas.map(deltaText), ...ends.slice(1), sseText('[DONE]')]);
}
const told = (deltas: readonly Answer[]) => deltas.filter((delta) => delta.annotations || delta.mood);
const words = (deltas: readonly Answer[]) => deltas.map(({ content = '' }) => content).join('');
const hello = { content: 'hello ' };
const world = { content: 'world' };

test('those after the break are sent', async () => {
  const whole = chatScript(hello, world, cite('a'), MOOD);
  const deltas = await ask({ script: whole, parts: 2, read: 'hello' }, whole, {});
  expect(words(deltas)).toBe('hello world');
  expect(told(deltas)).toEqual([cite('a'), MOOD]);
});

test('those before the break are not sent again', async () => {
  const whole = chatScript(hello, cite('a'), world, cite('b'), MOOD);
  const deltas = await ask({ script: whole, parts: 5, read: '"b"' }, whole, {});
  expect(words(deltas)).toBe('hello world');
  expect(told(deltas)).toEqual([cite('a'), cite('b'), MOOD]);
});

test('a route that continues by prefill sends its own', async () => {
  const script = chatScript(hello, cite('a'), world);
  const again = chatScript(world, cite('b'), MOOD);
  const deltas = await ask({ script, parts: 3, read: '"a"' }, again, { second: { prefill: true } });
  expect(words(deltas)).toBe('hello world');
  expect(told(deltas)).toEqual([cite('a'), cite('b'), MOOD]);
});

test('from an upstream of another format, with the signatures of its thoughts', async () => {
  const events = messageEvents({ thinking: ['hm'], pieces: ['hello ', 'world'] });
  const citation = { type: 'web_search_result_location', url: 'https://e.test', title: 'E', cited_text: 'c' };
  const at = events.findLastIndex(({ type }) => type === 'content_block_stop');
  events.splice(at, 0, { type: 'content_block_delta', index: 1, delta: { type: 'citations_delta', citation } });
  const script = sseScript(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`));
  const parts = events.findIndex((event) => JSON.stringify(event).includes('hello')) + 1;
  const anthropic = (deltas: readonly Answer[]) => deltas.flatMap((delta) => delta.annotations ?? []);
  const deltas = await ask({ script, parts, read: 'hello' }, script, { channels: { kind: 'anthropic' } });
  expect(words(deltas)).toBe('hello world');
  expect(anthropic(deltas)).toEqual([
    { type: 'url_citation', url_citation: { start_index: 0, end_index: 11, url: 'https://e.test', title: 'E' } },
  ]);
  expect(deltas.filter((delta) => delta.reasoning_details)).toHaveLength(1);
});
