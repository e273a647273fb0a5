// What upstreams of the OpenAI chat format would refuse of a request: throws on the first such thing.

import type { Answer } from '../answer.ts';
import { must, mustHaveOnly } from './told.ts';

const MEMBERS = [
  ...['model', 'messages', 'max_tokens', 'max_completion_tokens', 'stream', 'stream_options', 'temperature', 'top_p'],
  ...['stop', 'seed', 'frequency_penalty', 'presence_penalty', 'n', 'user', 'tools', 'tool_choice', 'service_tier'],
  ...['parallel_tool_calls', 'reasoning_effort', 'response_format', 'verbosity', 'prompt_cache_key'],
  ...['safety_identifier', 'logprobs', 'top_logprobs', 'logit_bias', 'top_k', 'thinking'],
];
const MAX_STOPS = 4;

export function checkChatRequest(body: Answer): void {
  mustHaveOnly(body, MEMBERS, 'the request');
  must(Array.isArray(body.messages) && body.messages.length > 0, 'no messages');
  for (const message of body.messages) checkMessage(message);
  checkCalls(body.messages);
  must(
    body.messages.some(({ role }: Answer) => role === 'user' || role === 'assistant'),
    'nobody speaks',
  );
  for (const tool of body.tools ?? []) checkTool(tool);
  must(body.tools === undefined || body.tools.length > 0, 'an empty list of tools');
  must(body.tool_choice === undefined || body.tools, 'a choice of no tools');
  must(body.parallel_tool_calls === undefined || body.tools, 'parallel calls of no tools');
  if (body.stream) must(body.stream_options?.include_usage === true, 'a stream without usage');
  must([body.stop ?? []].flat().length <= MAX_STOPS, 'too many stop sequences');
  must((body.max_tokens === undefined) !== (body.max_completion_tokens === undefined), 'not one bound on the output');
}

function checkMessage(message: Answer): void {
  const { role, content } = message;
  must(['system', 'developer', 'user', 'assistant', 'tool'].includes(role), `the role ${role}`);
  const isWordless = role === 'tool' || message.tool_calls?.length > 0;
  if (typeof content === 'string') must(content !== '' || isWordless, `an empty message of ${role}`);
  else if (Array.isArray(content)) {
    must(content.length > 0, 'no content');
    for (const part of content) checkPart(part, role);
  } else must(role === 'assistant' && message.tool_calls?.length > 0, `a message of ${role} without content`);
  must(message.tool_calls === undefined || (role === 'assistant' && message.tool_calls.length > 0), 'calls of nobody');
  for (const call of message.tool_calls ?? []) {
    must(typeof call.id === 'string' && call.type === 'function', 'a call without its members');
    must(typeof call.function.arguments === 'string', 'arguments are no text');
    must(isObjectText(call.function.arguments), `arguments are no object: ${call.function.arguments}`);
  }
}

function checkPart(part: Answer, role: string): void {
  if (role === 'user') must(['text', 'image_url', 'input_audio', 'file'].includes(part.type), `a part of ${part.type}`);
  else must(part.type === 'text', `a part of ${part.type} in a message of ${role}`);
  must(part.type !== 'text' || part.text !== '', 'an empty part');
  must(part.cache_control === undefined, 'a mark for a cache of others');
}

/** Right after a message with calls stand the results of all of them, and nowhere else does one stand. */
function checkCalls(messages: Answer[]): void {
  let waiting: string[] = [];
  for (const { role, tool_call_id: id, tool_calls: calls = [] } of messages) {
    if (role === 'tool') {
      must(waiting.includes(id), `the result of ${id} in the wrong place`);
      waiting = waiting.filter((one) => one !== id);
      continue;
    }
    must(waiting.length === 0, `no result of ${waiting}`);
    waiting = calls.map((call: Answer) => call.id);
    must(new Set(waiting).size === waiting.length, 'two calls with one id');
  }
  must(waiting.length === 0, `no result of ${waiting}`);
}

function checkTool({ type, function: fn, ...rest }: Answer): void {
  must(type === 'function' && Object.keys(rest).length === 0, 'a tool that is no function');
  mustHaveOnly(fn, ['name', 'description', 'parameters', 'strict'], 'a function');
  must(/^[a-zA-Z0-9_-]{1,64}$/.test(fn.name), `a tool is called ${fn.name}`);
  must(fn.parameters === undefined || fn.parameters.type === 'object', `the schema of ${fn.name} is no object's`);
}

function isObjectText(text: string): boolean {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
