// The demo's answer in the Anthropic messages format.

import type { DemoAnswer, Frame } from './demo-answer.ts';

interface Head {
  id: string;
}

const MODEL = 'demo';
const STOP_REASONS = { stop: 'end_turn', length: 'max_tokens', call: 'tool_use' };

export function messageAnswer({ id }: Head, answer: DemoAnswer) {
  const { call, chunks, finish } = answer;
  const text = { type: 'text', text: chunks.join('') };
  const used = call && { ...callOf(id, call.name), input: finish === 'length' ? {} : call.input };
  return {
    ...emptyMessage(id, answer),
    content: chunks.length === 0 ? [] : [used ?? text],
    stop_reason: STOP_REASONS[finish],
    usage: { input_tokens: answer.promptTokens, output_tokens: chunks.length },
  };
}

export function* messageFrames({ id }: Head, answer: DemoAnswer): Generator<Frame> {
  const { call, chunks, finish } = answer;
  const frame = (event: { type: string } & Record<string, unknown>, paced = false): Frame => ({
    text: `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
    paced,
  });
  const block = call ? callOf(id, call.name) : { type: 'text', text: '' };
  yield frame({ type: 'message_start', message: emptyMessage(id, answer) });
  if (chunks.length > 0) {
    yield frame({ type: 'content_block_start', index: 0, content_block: block });
    for (const text of chunks) {
      const delta = call ? { type: 'input_json_delta', partial_json: text } : { type: 'text_delta', text };
      yield frame({ type: 'content_block_delta', index: 0, delta }, true);
    }
    yield frame({ type: 'content_block_stop', index: 0 });
  }
  yield frame({
    type: 'message_delta',
    delta: { stop_reason: STOP_REASONS[finish], stop_sequence: null },
    usage: { output_tokens: chunks.length },
  });
  yield frame({ type: 'message_stop' });
}

function callOf(id: string, name: string) {
  return { type: 'tool_use', id: `toolu_${id}`, name, input: {} };
}

function emptyMessage(id: string, { promptTokens }: DemoAnswer) {
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model: MODEL,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: promptTokens, output_tokens: 0 },
  };
}
