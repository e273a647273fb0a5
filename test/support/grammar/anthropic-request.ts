// What Anthropic would refuse of a request, as far as its documents say it: throws on the first such thing.

import type { Answer } from '../answer.ts';
import { must, mustHaveOnly } from './told.ts';

const MEMBERS = [
  ...['model', 'max_tokens', 'messages', 'system', 'stop_sequences', 'stream', 'temperature', 'top_k', 'top_p'],
  ...['tools', 'tool_choice', 'metadata', 'thinking', 'output_config', 'cache_control', 'service_tier'],
];
const BLOCKS: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'image', 'document', 'tool_result'],
  assistant: ['text', 'thinking', 'redacted_thinking', 'tool_use'],
  system: ['text'],
};
/** What the vendor did itself comes back only in a turn that it paused. */
const PAUSED_BLOCKS = ['server_tool_use', 'web_search_tool_result'];
const MAX_CACHE_MARKS = 4;

export function checkAnthropicRequest(body: Answer): void {
  mustHaveOnly(body, MEMBERS, 'the request');
  must(Number.isInteger(body.max_tokens) && body.max_tokens >= 1, 'no max_tokens');
  must(Array.isArray(body.messages) && body.messages.length > 0, 'no messages');
  must(body.messages[0].role === 'user', `begins with ${body.messages[0].role}`);
  for (const [index, message] of body.messages.entries()) checkMessage(body.messages, index, message);
  for (const block of Array.isArray(body.system) ? body.system : []) checkBlock(block, 'system');
  must(typeof body.system !== 'string' || body.system !== '', 'an empty system');
  checkCalls(body.messages);
  checkLast(body.messages.at(-1));
  for (const tool of body.tools ?? []) checkTool(tool);
  must(body.tools === undefined || body.tools.length > 0, 'an empty list of tools');
  must(!body.tool_choice || body.tools, 'a choice of no tools');
  checkThinking(body);
  checkMarks(body);
}

function checkMessage(messages: Answer[], index: number, { role, content }: Answer): void {
  must(role !== messages[index - 1]?.role, `two turns of ${role} in a row`);
  if (role === 'system') {
    must(index > 0 && messages[index - 1].role === 'user', 'a system turn that follows no user');
    const next = messages[index + 1];
    must(!next || next.role === 'assistant', 'a system turn before a user');
  }
  if (typeof content === 'string') {
    must(content.trim() !== '', 'empty content');
    return;
  }
  must(Array.isArray(content) && content.length > 0, 'no content');
  const mayBePaused = role === 'assistant' && index === messages.length - 1;
  for (const block of content) if (!mayBePaused || !PAUSED_BLOCKS.includes(block.type)) checkBlock(block, role);
}

function checkBlock(block: Answer, role: string): void {
  must(BLOCKS[role]?.includes(block.type), `a block of ${block.type} in a turn of ${role}`);
  if (block.type === 'text') must(typeof block.text === 'string' && block.text.trim() !== '', 'an empty text block');
  if (block.type === 'image') must(['base64', 'url'].includes(block.source.type), 'an image without a source');
  if (block.type !== 'tool_result' || typeof block.content === 'string') return;
  for (const inner of block.content ?? []) {
    must(['text', 'image', 'document'].includes(inner.type), `${inner.type} in a result`);
    must(inner.type !== 'text' || inner.text.trim() !== '', 'an empty text block in a result');
  }
}

/** Each call has its result in the next turn, before anything else there; nothing else has one. */
function checkCalls(messages: Answer[]): void {
  const seen = new Set<string>();
  for (const [index, { role, content }] of messages.entries()) {
    const blocks: Answer[] = Array.isArray(content) ? content : [];
    const results = blocks.filter(({ type }) => type === 'tool_result').map((block) => block.tool_use_id);
    const before: Answer[] = Array.isArray(messages[index - 1]?.content) ? messages[index - 1].content : [];
    const called = before.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
    must(role !== 'user' || sameMembers(results, called), `calls ${called} with results ${results}`);
    must(
      blocks.slice(0, results.length).every(({ type }) => type === 'tool_result'),
      'a result after other content',
    );
    for (const { type, id, input } of blocks) {
      if (type !== 'tool_use') continue;
      must(/^[a-zA-Z0-9_-]+$/.test(id) && !seen.has(id), `a call's id is ${id}`);
      must(typeof input === 'object' && input !== null && !Array.isArray(input), 'input is no object');
      seen.add(id);
    }
  }
}

function checkLast({ role, content }: Answer): void {
  if (role !== 'assistant') return;
  const last = typeof content === 'string' ? content : content.at(-1).text;
  must(last === undefined || last === last.trimEnd(), 'a beginning that ends in white space');
}

function checkTool({ type, name, input_schema: schema }: Answer): void {
  if (type !== undefined && type !== 'custom') return;
  must(/^[a-zA-Z0-9_-]{1,128}$/.test(name), `a tool is called ${name}`);
  must(schema?.type === 'object', `the schema of ${name} is no object's`);
  for (const word of ['anyOf', 'oneOf', 'allOf']) must(!schema[word], `the schema of ${name} has ${word} at its top`);
}

function checkThinking({ thinking, max_tokens: most, tool_choice: choice, temperature, top_k: topK }: Answer): void {
  if (!thinking || thinking.type === 'disabled') return;
  must(['adaptive', 'between_tools', 'enabled'].includes(thinking.type), `thinking is ${thinking.type}`);
  must(!['any', 'tool'].includes(choice?.type), 'a forced call with thinking');
  must(temperature === undefined || temperature === 1, 'a temperature with thinking');
  must(topK === undefined, 'top_k with thinking');
  if (thinking.type !== 'enabled') return;
  must(thinking.budget_tokens >= 1024 && thinking.budget_tokens < most, `a budget of ${thinking.budget_tokens}`);
}

function checkMarks({ tools = [], system, messages }: Answer): void {
  const blocks = [
    ...tools,
    ...(Array.isArray(system) ? system : []),
    ...messages.flatMap((one: Answer) => one.content),
  ];
  const lives = blocks.filter((block) => block?.cache_control).map((block) => block.cache_control.ttl ?? '5m');
  must(lives.length <= MAX_CACHE_MARKS, `${lives.length} marks for the cache`);
  must(!lives.slice(lives.indexOf('5m') + 1).includes('1h') || !lives.includes('5m'), 'a long mark after a short one');
}

function sameMembers(a: string[], b: string[]): boolean {
  return a.length === b.length && a.every((member) => b.includes(member));
}
