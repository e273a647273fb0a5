// The blocks of a message, joined from the events of its stream while it is on its way.

import { heapStats } from 'bun:jsc';
import { describe, expect, test } from 'bun:test';
import { JoinedMessage } from '../../../src/dialects/anthropic-messages/other-form.ts';
import type { JsonObject } from '../../../src/kit/json/json.ts';
import { writeJson } from '../../../src/kit/json/raw-json.ts';

const blocksOf = (joined: JoinedMessage) => joined.content().map((block) => JSON.parse(writeJson(block)));

function join(block: JsonObject, deltas: Iterable<JsonObject>): JoinedMessage {
  const joined = new JoinedMessage();
  joined.read({ type: 'content_block_start', index: 0, content_block: block });
  for (const delta of deltas) joined.read({ type: 'content_block_delta', index: 0, delta });
  return joined;
}

test('what deltas add goes behind what the block began with', () => {
  const cited = { type: 'text', text: 'a', citations: [{ at: 0 }] };
  const deltas = [
    { type: 'text_delta', text: 'b' },
    { type: 'citations_delta', citation: { at: 1 } },
    { type: 'text_delta', text: 'c' },
  ];
  expect(blocksOf(join(cited, deltas))).toEqual([{ type: 'text', text: 'abc', citations: [{ at: 0 }, { at: 1 }] }]);
  expect(cited).toEqual({ type: 'text', text: 'a', citations: [{ at: 0 }] });
  const thought = { type: 'thinking', thinking: '', signature: '' };
  const thoughts = [
    { type: 'thinking_delta', thinking: 'hm' },
    { type: 'signature_delta', signature: 'c2' },
  ];
  expect(blocksOf(join(thought, thoughts))).toEqual([{ type: 'thinking', thinking: 'hm', signature: 'c2' }]);
});

test('the input of a call keeps its own text, and is left out while it is no JSON', () => {
  const call = { type: 'server_tool_use', id: 's', name: 'n', input: {} };
  const halves = ['{"a":', '1.0}'].map((partial_json) => ({ type: 'input_json_delta', partial_json }));
  expect(join(call, halves).content().map(writeJson)).toEqual([
    '{"type":"server_tool_use","id":"s","name":"n","input":{"a":1.0}}',
  ]);
  expect(blocksOf(join(call, halves.slice(0, 1)))).toEqual([call]);
});

test('a delta of an unknown kind adds nothing', () => {
  expect(blocksOf(join({ type: 'text', text: 'a' }, [{ type: 'constructor' }]))).toEqual([{ type: 'text', text: 'a' }]);
});

describe('a long stream', () => {
  function* repeat(count: number, write: (n: number) => string): Iterable<JsonObject> {
    for (let n = 0; n < count; n++) yield JSON.parse(write(n));
  }

  test('is joined in time that grows with its length', () => {
    const from = performance.now();
    const citations = repeat(60_000, (n) => `{"type":"citations_delta","citation":{"at":${n}}}`);
    const [block] = join({ type: 'text', text: '' }, citations).content();
    expect(block?.citations).toHaveLength(60_000);
    // Many seconds where each citation copies those before it, and less than a tenth of one otherwise.
    expect(performance.now() - from).toBeLessThan(3_000);
  });

  test('does not keep the deltas of its text', () => {
    const strings = () => {
      Bun.gc(true);
      return heapStats().objectTypeCounts.string ?? 0;
    };
    const before = strings();
    const joined = join(
      { type: 'text', text: '' },
      repeat(20_000, (n) => `{"type":"text_delta","text":" word ${n}"}`),
    );
    expect(strings() - before).toBeLessThan(5_000);
    expect(blocksOf(joined)[0].text).toEndWith(' word 19999');
  });
});
