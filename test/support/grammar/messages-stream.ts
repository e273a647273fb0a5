// The grammar of a messages stream: one start, blocks one after the other, a delta with usage, one stop.

import type { Answer } from '../answer.ts';
import { parseSse } from '../sse.ts';
import { createTold, type Ending, must, noteModel, type Told } from './told.ts';

export const MESSAGE_ENDINGS: Readonly<Record<string, Ending>> = {
  end_turn: 'end',
  stop_sequence: 'end',
  max_tokens: 'length',
  tool_use: 'tool',
  refusal: 'filter',
};

/** What each block begins with, and which deltas it takes. */
const BLOCKS: Readonly<Record<string, { begins: Answer; deltas: Readonly<Record<string, string>> }>> = {
  text: { begins: { text: '' }, deltas: { text_delta: 'text', citations_delta: 'citation' } },
  thinking: { begins: { thinking: '' }, deltas: { thinking_delta: 'thinking', signature_delta: 'signature' } },
  redacted_thinking: { begins: {}, deltas: {} },
  tool_use: { begins: {}, deltas: { input_json_delta: 'partial_json' } },
};

interface OpenBlock {
  type: string;
  json: string;
  isSigned: boolean;
}

export function readMessagesStream(text: string): Told {
  const told = createTold();
  let open: OpenBlock | undefined;
  let blocks = 0;
  let hasStarted = false;
  let hasCalls = false;
  for (const { event, json } of parseSse(text)) {
    must(!told.complete && !told.error, `an event after the end: ${event}`);
    must(json && event === json.type, `the event's name is not its type: ${event}`);
    must(hasStarted || event === 'message_start' || event === 'error', `${event} before the start`);
    switch (event) {
      case 'message_start':
        must(!hasStarted, 'a second start');
        hasStarted = true;
        readStart(told, json.message);
        break;
      case 'content_block_start':
        must(!open && !told.ends && json.index === blocks, `block ${json.index} out of order`);
        blocks++;
        open = openBlock(told, json.content_block);
        hasCalls ||= open.type === 'tool_use';
        break;
      case 'content_block_delta':
        must(open && json.index === blocks - 1, `a delta for block ${json.index}, which is not open`);
        readDelta(told, open, json.delta);
        break;
      case 'content_block_stop':
        must(open && json.index === blocks - 1, `block ${json.index} is not open`);
        closeBlock(told, open);
        open = undefined;
        break;
      case 'message_delta':
        must(!open && !told.ends, 'a stop in the wrong place');
        told.ends = endingOf(json.delta.stop_reason);
        told.refusal = json.delta.stop_details?.explanation ?? '';
        must(json.usage && Number.isInteger(json.usage.output_tokens), 'a stop without usage');
        told.usage = { ...told.usage, ...json.usage };
        break;
      case 'message_stop':
        must(told.ends, 'an end without a reason');
        must((told.ends === 'tool') <= hasCalls, 'waits for a result of nothing');
        told.complete = true;
        break;
      case 'ping':
        break;
      case 'error':
        told.error = json.error;
        break;
      default:
        must(false, `unknown event ${event}`);
    }
  }
  return told;
}

export function endingOf(reason: string): Ending {
  const ending = MESSAGE_ENDINGS[reason];
  must(ending, `unknown stop: ${reason}`);
  return ending;
}

function readStart(told: Told, message: Answer): void {
  must(typeof message.id === 'string' && message.type === 'message' && message.role === 'assistant', 'no message');
  must(Array.isArray(message.content) && message.content.length === 0, 'content in the start');
  must(message.stop_reason === null && message.stop_sequence === null, 'a stop in the start');
  must(Number.isInteger(message.usage?.input_tokens), 'a start without usage');
  must(Number.isInteger(message.usage.output_tokens), 'a start without usage');
  noteModel(told, message.model);
  told.usage = { ...message.usage };
}

function openBlock(told: Told, block: Answer): OpenBlock {
  const known = BLOCKS[block.type];
  must(known, `unknown block ${block.type}`);
  for (const [name, value] of Object.entries(known.begins)) must(block[name] === value, `${name} in a start`);
  if (block.type === 'tool_use') {
    must(typeof block.id === 'string' && /^[a-zA-Z0-9_-]+$/.test(block.id), `a call's id is ${block.id}`);
    must(
      told.calls.every(({ id }) => id !== block.id),
      `two calls have the id ${block.id}`,
    );
    must(typeof block.name === 'string' && block.name !== '', 'a call without a name');
    must(JSON.stringify(block.input) === '{}', 'input in a start');
    told.calls.push({ id: block.id, name: block.name, arguments: '' });
  }
  if (block.type === 'redacted_thinking') must(typeof block.data === 'string', 'redacted thinking without data');
  return { type: block.type, json: '', isSigned: false };
}

function readDelta(told: Told, open: OpenBlock, delta: Answer): void {
  const field = BLOCKS[open.type]?.deltas[delta.type];
  must(field && delta[field] !== undefined, `${delta.type} in a block of ${open.type}`);
  must(!open.isSigned, 'a delta after the signature');
  if (delta.type === 'text_delta') told.text += delta.text;
  if (delta.type === 'thinking_delta') told.reasoning += delta.thinking;
  if (delta.type === 'signature_delta') open.isSigned = true;
  if (delta.type === 'input_json_delta') open.json += delta.partial_json;
}

function closeBlock({ calls }: Told, open: OpenBlock): void {
  const call = calls.at(-1);
  if (open.type === 'thinking') must(open.isSigned, 'thinking without a signature');
  if (open.type === 'tool_use' && call) call.arguments = open.json;
}
