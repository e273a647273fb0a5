// What an upstream of the OpenAI Responses format would refuse of a request: throws on the first such thing.

import type { Answer } from '../answer.ts';
import { must, mustHaveOnly } from './told.ts';

const MEMBERS = [
  ...['model', 'input', 'instructions', 'tools', 'tool_choice', 'parallel_tool_calls', 'reasoning', 'text', 'include'],
  ...['max_output_tokens', 'stream', 'store', 'temperature', 'top_p', 'user', 'safety_identifier', 'prompt_cache_key'],
  ...['service_tier', 'top_logprobs', 'truncation', 'metadata'],
];
const PARTS: Readonly<Record<string, readonly string[]>> = {
  user: ['input_text', 'input_image', 'input_file', 'input_audio'],
  developer: ['input_text'],
  system: ['input_text'],
  assistant: ['output_text', 'refusal'],
};

export function checkResponsesRequest(body: Answer): void {
  mustHaveOnly(body, MEMBERS, 'the request');
  must(body.store === false, 'an answer that is stored');
  must(
    Number.isInteger(body.max_output_tokens) && body.max_output_tokens >= 16,
    'no bound on the output that it takes',
  );
  must(Array.isArray(body.input) && body.input.length > 0, 'no input');
  const waiting = new Set<string>();
  for (const item of body.input) {
    if (item.type === 'function_call') {
      must(!waiting.has(item.call_id) && typeof item.arguments === 'string', 'a call without its members');
      waiting.add(item.call_id);
    } else if (item.type === 'function_call_output') {
      must(waiting.delete(item.call_id), `a result of no call: ${item.call_id}`);
    } else if (item.type === 'reasoning') {
      must(item.encrypted_content && item.id === undefined, 'reasoning that would have to be stored');
    } else checkMessage(item);
  }
  must(waiting.size === 0 || body.input.at(-1).type === 'function_call', `calls without results: ${[...waiting]}`);
  for (const tool of body.tools ?? []) {
    must(tool.type === 'function' && /^[a-zA-Z0-9_-]{1,64}$/.test(tool.name), `a tool is called ${tool.name}`);
    must(tool.parameters?.type === 'object', `the schema of ${tool.name} is no object's`);
  }
  must(body.tools === undefined || body.tools.length > 0, 'an empty list of tools');
  must(body.tool_choice === undefined || body.tools, 'a choice of no tools');
}

function checkMessage({ role, content, type = 'message' }: Answer): void {
  must(type === 'message' && PARTS[role], `an item of ${type} by ${role}`);
  if (typeof content === 'string') {
    must(content !== '', 'an empty message');
    return;
  }
  must(Array.isArray(content) && content.length > 0, 'no content');
  for (const part of content) {
    must(PARTS[role]?.includes(part.type), `a part of ${part.type} by ${role}`);
    must(part.text !== '', 'an empty part');
  }
}
