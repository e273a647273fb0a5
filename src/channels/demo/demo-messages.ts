// The demo's answer in the Anthropic messages format.

import type { DemoAnswer, Frame } from './demo-answer.ts';

interface Head {
  id: string;
}

const MODEL = 'demo';
const STOP_REASONS = { stop: 'end_turn', length: 'max_tokens' };

export function messageAnswer({ id }: Head, answer: DemoAnswer) {
  return {
    ...emptyMessage(id, answer),
    content: [{ type: 'text', text: answer.chunks.join('') }],
    stop_reason: STOP_REASONS[answer.finish],
    usage: { input_tokens: answer.promptTokens, output_tokens: answer.chunks.length },
  };
}

export function* messageFrames({ id }: Head, answer: DemoAnswer): Generator<Frame> {
  const frame = (event: { type: string } & Record<string, unknown>, paced = false): Frame => ({
    text: `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
    paced,
  });
  yield frame({ type: 'message_start', message: emptyMessage(id, answer) });
  yield frame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
  for (const text of answer.chunks) {
    yield frame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }, true);
  }
  yield frame({ type: 'content_block_stop', index: 0 });
  yield frame({
    type: 'message_delta',
    delta: { stop_reason: STOP_REASONS[answer.finish], stop_sequence: null },
    usage: { output_tokens: answer.chunks.length },
  });
  yield frame({ type: 'message_stop' });
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
