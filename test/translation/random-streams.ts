// Random streams of the three kinds of upstream, within what their formats allow and what they are known to send: mixed
// calls, empty bits, pings, unknown events, figures anywhere. Each knows what it says.

import fc from 'fast-check';
import { openaiChunk } from './openai-replies.ts';
import { responsesReply } from './responses-replies.ts';
import type { UpstreamName } from './sides.ts';

export interface RandomStream {
  upstream: UpstreamName;
  events: unknown[];
  says: { text: string; reasoning: string; calls: { name: string; arguments: string }[] };
}

/** Never white space alone: between two calls that is dropped. */
const words = fc
  .string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '早', '🌏', '"', '\\', 'ü'), maxLength: 5 })
  .filter((text) => text === '' || text.trim() !== '');
const name = fc.constantFrom('look', 'hear', 'smell');
const json = fc.constantFrom('{}', '{"at":1}', '{"a":"早\\"","b":[1,2]}', '{"n":12345678901234567890}');

/** A text in pieces, some of them empty. */
const pieces = (text: string) =>
  fc.array(fc.nat({ max: Math.max(0, text.length) }), { maxLength: 3 }).map((cuts) => {
    const at = [0, ...cuts.sort((a, b) => a - b), text.length];
    return at.slice(1).map((end, index) => text.slice(at[index], end));
  });

const call = fc
  .record({ name, arguments: json })
  .chain((one) => fc.record({ call: fc.constant(one), pieces: pieces(one.arguments) }));

type Bit = { text: string } | { reasoning: string };
const bit: fc.Arbitrary<Bit> = fc.oneof(
  words.map((text) => ({ text })),
  words.map((reasoning) => ({ reasoning })),
);

/** Lists shuffled together, each in its own order. */
function interleave<Item>(lists: readonly (readonly Item[])[], picks: readonly number[]): Item[] {
  const queues = lists.map((list) => [...list]);
  const mixed: Item[] = [];
  for (let turn = 0; queues.some((queue) => queue.length > 0); turn++) {
    const open = queues.filter((queue) => queue.length > 0);
    const item = open[(picks[turn % Math.max(1, picks.length)] ?? 0) % open.length]?.shift();
    if (item !== undefined) mixed.push(item);
  }
  return mixed;
}

const saidOf = (bits: readonly Bit[], key: 'text' | 'reasoning') =>
  bits.map((one) => (key in one ? Object.values(one).join('') : '')).join('');

const openaiNoise = fc.constantFrom<unknown>(
  ': keep-alive\n\n',
  { id: 'x', choices: [] },
  openaiChunk({}),
  openaiChunk({ content: '' }),
  openaiChunk({ content: null, reasoning_content: null, tool_calls: [] }),
);

export const openaiStreams: fc.Arbitrary<RandomStream> = fc
  .record({
    bits: fc.array(bit, { maxLength: 6 }),
    calls: fc.array(call, { maxLength: 3 }),
    picks: fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 20 }),
    noise: fc.array(openaiNoise, { maxLength: 3 }),
    hasDone: fc.boolean(),
    finish: fc.constantFrom('stop', 'tool_calls', 'length', 'sunset'),
    reasoningName: fc.constantFrom('reasoning_content', 'reasoning'),
  })
  .map(({ bits, calls, picks, noise, hasDone, finish, reasoningName }) => {
    const spoken = bits.map((one) =>
      openaiChunk('text' in one ? { content: one.text } : { [reasoningName]: one.reasoning }),
    );
    const called = calls.map(({ call: { name: called }, pieces: parts }, index) => [
      openaiChunk({
        tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name: called, arguments: '' } }],
      }),
      ...parts.map((part) => openaiChunk({ tool_calls: [{ index, function: { arguments: part } }] })),
    ]);
    return {
      upstream: 'openai',
      events: [
        openaiChunk({ role: 'assistant', content: '' }),
        ...interleave<unknown>([spoken, ...called, noise], picks),
        openaiChunk({}, finish),
        { id: 'x', choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } },
        ...(hasDone ? ['[DONE]'] : []),
      ],
      says: {
        text: saidOf(bits, 'text'),
        reasoning: saidOf(bits, 'reasoning'),
        calls: calls.map((one) => one.call),
      },
    };
  });

type Block =
  | { kind: 'text' | 'thinking'; pieces: string[] }
  | { kind: 'tool'; name: string; arguments: string; pieces: string[] }
  | { kind: 'hidden' };

const block: fc.Arbitrary<Block> = fc.oneof(
  words.chain(pieces).map((list): Block => ({ kind: 'text', pieces: list })),
  words.chain(pieces).map((list): Block => ({ kind: 'thinking', pieces: list })),
  call.map((one): Block => ({ kind: 'tool', ...one.call, pieces: one.pieces })),
  fc.constant<Block>({ kind: 'hidden' }),
);

function blockEvents(one: Block, index: number): unknown[] {
  const open = (content: unknown) => ({ type: 'content_block_start', index, content_block: content });
  const deltas = (list: unknown[]) => list.map((delta) => ({ type: 'content_block_delta', index, delta }));
  const close = { type: 'content_block_stop', index };
  switch (one.kind) {
    case 'text':
      return [
        open({ type: 'text', text: '' }),
        ...deltas(one.pieces.map((text) => ({ type: 'text_delta', text }))),
        close,
      ];
    case 'thinking':
      return [
        open({ type: 'thinking', thinking: '', signature: '' }),
        ...deltas(one.pieces.map((thinking) => ({ type: 'thinking_delta', thinking }))),
        ...deltas([{ type: 'signature_delta', signature: 'c2ln' }]),
        close,
      ];
    case 'tool':
      return [
        open({ type: 'tool_use', id: `toolu_${index}`, name: one.name, input: {} }),
        ...deltas(one.pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json }))),
        close,
      ];
    case 'hidden':
      return [
        open({ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }),
        ...deltas([{ type: 'input_json_delta', partial_json: '{"query":"x"}' }]),
        close,
      ];
  }
}

const MESSAGE = { id: 'msg_upstream', type: 'message', role: 'assistant', model: 'upstream-model', content: [] };

export const anthropicStreams: fc.Arbitrary<RandomStream> = fc
  .record({
    blocks: fc.array(block, { maxLength: 6 }),
    noise: fc.array(fc.constantFrom({ type: 'ping' }, { type: 'sunrise' }), { maxLength: 4 }),
    picks: fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 20 }),
    stop: fc.constantFrom('end_turn', 'tool_use', 'max_tokens', 'sunset'),
    hasEnd: fc.boolean(),
    isMixed: fc.boolean(),
  })
  .map(({ blocks, noise, picks, stop, hasEnd, isMixed }) => {
    const lists = blocks.map(blockEvents);
    const events = interleave<unknown>([...(isMixed ? lists : [lists.flat()]), noise], picks);
    // What blocks say that take turns is told in the order in which they began.
    const begun = lists.map((list) => events.indexOf(list[0]));
    const inOrder = blocks.toSorted((a, b) => (begun[blocks.indexOf(a)] ?? 0) - (begun[blocks.indexOf(b)] ?? 0));
    const said = (kind: 'text' | 'thinking') =>
      inOrder.flatMap((one) => (one.kind === kind ? one.pieces : [])).join('');
    return {
      upstream: 'anthropic',
      events: [
        { type: 'message_start', message: { ...MESSAGE, usage: { input_tokens: 3, output_tokens: 1 } } },
        ...events,
        { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 2 } },
        ...(hasEnd ? [{ type: 'message_stop' }] : []),
      ],
      says: {
        text: said('text'),
        reasoning: said('thinking'),
        calls: blocks.flatMap((one) => (one.kind === 'tool' ? [{ name: one.name, arguments: one.arguments }] : [])),
      },
    };
  });

type Part = { text: string; thought?: true } | { name: string; arguments: string; signature?: string };
const part: fc.Arbitrary<Part> = fc.oneof(
  words.map((text): Part => ({ text })),
  words.map((text): Part => ({ text, thought: true })),
  fc.record({ name, arguments: json }).map((one): Part => one),
  fc.record({ name, arguments: json }).map((one): Part => ({ ...one, signature: 'c2ln' })),
);

function partText(one: Part): string {
  if ('text' in one) return JSON.stringify(one);
  const signature = one.signature === undefined ? '' : `,"thoughtSignature":"${one.signature}"`;
  return `{"functionCall":{"name":"${one.name}","args":${one.arguments}}${signature}}`;
}

export const geminiStreams: fc.Arbitrary<RandomStream> = fc
  .record({
    chunks: fc.array(fc.array(part, { maxLength: 3 }), { maxLength: 5 }),
    finish: fc.constantFrom('STOP', 'MAX_TOKENS', 'SUNSET'),
    isApart: fc.boolean(),
  })
  .map(({ chunks, finish, isApart }) => {
    const all = chunks.flat();
    const usage = '"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2}';
    const chunk = (parts: readonly Part[], end: string) =>
      `data: {"candidates":[{"content":{"parts":[${parts.map(partText).join(',')}],"role":"model"}${end}}],${usage}}\n\n`;
    const end = `,"finishReason":"${finish}"`;
    const list = isApart ? [...chunks, []] : chunks.length > 0 ? chunks : [[]];
    const said = (isThought: boolean) =>
      all.map((one) => ('text' in one && (one.thought === true) === isThought ? one.text : '')).join('');
    return {
      upstream: 'gemini',
      events: list.map((parts, index) => chunk(parts, index === list.length - 1 ? end : '')),
      says: {
        text: said(false),
        reasoning: said(true),
        calls: all.flatMap((one) => ('name' in one ? [{ name: one.name, arguments: one.arguments }] : [])),
      },
    };
  });

/** Its items come one after the other, each whole. */
export const responsesStreams: fc.Arbitrary<RandomStream> = fc
  .record({
    text: words.chain(pieces),
    reasoning: words.chain(pieces),
    calls: fc.array(call, { maxLength: 3 }),
    ends: fc.constantFrom(undefined, 'length' as const),
  })
  .map(({ text, reasoning, calls, ends }) => {
    const { stream = [] } = responsesReply({
      text,
      reasoning,
      calls: calls.map(({ call: one, pieces: parts }, index) => ({
        id: `call_${index}`,
        name: one.name,
        arguments: parts,
      })),
      ...(ends === undefined ? {} : { ends }),
    });
    return {
      upstream: 'openai-responses',
      events: [...stream],
      says: { text: text.join(''), reasoning: reasoning.join(''), calls: calls.map((one) => one.call) },
    };
  });
