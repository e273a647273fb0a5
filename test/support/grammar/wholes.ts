// Whole answers of the three client dialects, with what each must have.

import type { Answer } from '../answer.ts';
import { endingOf as chatEnding } from './chat-stream.ts';
import { endingOf as messagesEnding } from './messages-stream.ts';
import { createTold, type Ending, must, noteModel, type Told, type ToldCall } from './told.ts';

export function readChatWhole(answer: Answer): Told {
  const told = createTold();
  must(typeof answer.id === 'string' && answer.object === 'chat.completion', 'no completion');
  must(Number.isInteger(answer.created) && answer.choices.length === 1, 'not one choice');
  noteModel(told, answer.model);
  const [{ index, message, finish_reason: finish, logprobs }] = answer.choices;
  must(index === 0 && message.role === 'assistant', 'no message');
  must(message.content === null || typeof message.content === 'string', 'content is no text');
  must(message.content !== '' || !message.tool_calls, 'empty text beside calls');
  must(logprobs === null || logprobs === undefined, 'logprobs from nowhere');
  told.text = message.content ?? '';
  told.reasoning = message.reasoning_content ?? '';
  told.refusal = message.refusal ?? '';
  told.calls = (message.tool_calls ?? []).map(chatCall);
  if (message.function_call) told.calls.push({ id: '', ...message.function_call });
  told.ends = chatEnding(finish);
  must(told.ends !== 'tool' || told.calls.length > 0, 'waits for a result of nothing');
  told.usage = answer.usage;
  told.complete = true;
  return told;
}

function chatCall(call: Answer): ToldCall {
  must(typeof call.id === 'string' && call.id !== '', 'a call without an id');
  must(call.index === undefined, 'an index in a whole answer');
  const { name, arguments: json, input } = call.type === 'custom' ? call.custom : call.function;
  must(typeof name === 'string' && typeof (json ?? input) === 'string', 'a call without its members');
  return { id: call.id, name, arguments: json ?? input };
}

/** `text` is the body, in which a call's input stands as it came. */
export function readMessagesWhole(answer: Answer): Told {
  const told = createTold();
  must(typeof answer.id === 'string' && answer.type === 'message' && answer.role === 'assistant', 'no message');
  noteModel(told, answer.model);
  for (const block of answer.content) {
    if (block.type === 'text') told.text += block.text;
    else if (block.type === 'thinking') {
      must(typeof block.signature === 'string' && block.signature !== '', 'thinking without a signature');
      told.reasoning += block.thinking;
    } else if (block.type === 'tool_use') {
      must(typeof block.input === 'object' && !Array.isArray(block.input), 'input is no object');
      told.calls.push({ id: block.id, name: block.name, arguments: JSON.stringify(block.input) });
    } else must(block.type === 'redacted_thinking', `unknown block ${block.type}`);
    must(block.type !== 'text' || block.text !== '', 'an empty text');
  }
  must(answer.stop_sequence === null || typeof answer.stop_sequence === 'string', 'no stop_sequence');
  told.ends = messagesEnding(answer.stop_reason);
  told.refusal = answer.stop_details?.explanation ?? '';
  must(told.ends !== 'tool' || told.calls.length > 0, 'waits for a result of nothing');
  must(Number.isInteger(answer.usage?.input_tokens) && Number.isInteger(answer.usage.output_tokens), 'no usage');
  told.usage = answer.usage;
  told.complete = true;
  return told;
}

export function readResponsesWhole(answer: Answer): Told {
  const told = createTold();
  must(typeof answer.id === 'string' && answer.object === 'response', 'no response');
  must(Number.isInteger(answer.created_at), 'no time');
  noteModel(told, answer.model);
  Object.assign(told, readItems(answer.output));
  told.ends = responseEnding(answer, told);
  told.usage = answer.usage;
  told.complete = true;
  return told;
}

export function readItems(items: readonly Answer[]): Pick<Told, 'text' | 'reasoning' | 'refusal' | 'calls'> {
  const told = createTold();
  for (const item of items) {
    switch (item.type) {
      case 'message':
        for (const part of item.content) {
          must(part.type === 'output_text' || part.type === 'refusal', `unknown part ${part.type}`);
          told.text += part.text ?? '';
          told.refusal += part.refusal ?? '';
        }
        break;
      case 'reasoning':
        for (const part of [...(item.summary ?? []), ...(item.content ?? [])]) told.reasoning += part.text;
        break;
      case 'function_call':
      case 'custom_tool_call':
        must(typeof item.call_id === 'string' && item.call_id !== '', 'a call without its id');
        told.calls.push({ id: item.call_id, name: item.name, arguments: item.arguments ?? item.input });
        break;
      default:
        must(false, `unknown item ${item.type}`);
    }
  }
  const { text, reasoning, refusal, calls } = told;
  return { text, reasoning, refusal, calls };
}

export function responseEnding(response: Answer, { calls }: Told): Ending {
  const reason = response.incomplete_details?.reason;
  if (response.status === 'completed') {
    must(!reason, 'complete and incomplete');
    return calls.length > 0 ? 'tool' : 'end';
  }
  must(response.status === 'incomplete', `ended as ${response.status}`);
  must(reason === 'max_output_tokens' || reason === 'content_filter', `incomplete because of ${reason}`);
  return reason === 'max_output_tokens' ? 'length' : 'filter';
}
