// A request that asks for thoughts, or binds the form of its answer, is told in the words of every format; what it decides
// is tried in test/relay/resume.test.ts.

import { expect, test } from 'bun:test';
import { mayPrefill } from '../../src/dialects/may-prefill.ts';
import { openaiChatClient } from '../../src/dialects/openai-chat/client/adapter.ts';
import { type JsonObject, readJsonObject } from '../../src/kit/json/json.ts';

function readRequestedReasoning(body: JsonObject) {
  const asked = { messages: [{ role: 'user', content: 'Hi' }], ...body };
  return openaiChatClient.readConversation(readJsonObject(JSON.stringify(asked))).reasoning;
}

test.each([
  { reasoning_effort: 'low' },
  { reasoning: { effort: 'high' } },
  { reasoning: { enabled: true } },
  { reasoning: { max_tokens: 2_000 } },
  { thinking: { type: 'enabled', budget_tokens: 2_000 } },
  { thinking: { type: 'adaptive' } },
])('%j asks for thoughts, in a chat too', (body) => {
  expect(mayPrefill(body)).toBe(false);
  expect(readRequestedReasoning(body)?.isOff).toBe(false);
});

test.each([
  { reasoning_effort: 'none' },
  { reasoning: { effort: 'none' } },
  { reasoning: { enabled: false } },
  { reasoning: { enabled: false, effort: 'high', max_tokens: 2_000 } },
  { thinking: { type: 'disabled' } },
])('%j asks for none, in a chat too', (body) => {
  expect(mayPrefill(body)).toBe(true);
  expect(readRequestedReasoning(body)?.isOff).toBe(true);
});

const thinkingConfigs: [boolean, JsonObject][] = [
  [false, { thinkingLevel: 'low' }],
  [false, { thinking_budget: 1_024 }],
  [false, { thinkingBudget: -1 }],
  [true, { includeThoughts: true }],
  [true, { thinkingBudget: 0, includeThoughts: true }],
  [true, { includeThoughts: false }],
];
test.each(thinkingConfigs)('may begin: %p, of Gemini with %j', (expected, config) => {
  expect(mayPrefill({ generationConfig: { thinkingConfig: config } })).toBe(expected);
  expect(mayPrefill({ generation_config: { thinking_config: config } })).toBe(expected);
});

test.each([{}, { reasoning: { summary: 'auto' } }, { reasoning: null, thinking: null }])(
  '%j leaves open whether it thinks',
  (body) => {
    expect(mayPrefill(body)).toBe(true);
  },
);

test.each<JsonObject>([
  { response_format: { type: 'json_object' } },
  { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } } },
  { text: { format: { type: 'json_schema', name: 'a', schema: { type: 'object' } } } },
  { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
  { output_format: { type: 'json_schema', schema: { type: 'object' } } },
  { guided_json: { type: 'object' } },
  { structured_outputs: { choice: ['yes', 'no'] } },
  { grammar: 'root ::= "yes"' },
  { format: 'json' },
  { tool_choice: 'required' },
  { tool_choice: 'any' },
  { tool_choice: { type: 'any' } },
  { tool_choice: { type: 'tool', name: 'a' } },
  { tool_choice: { type: 'function', function: { name: 'a' } } },
  { tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [] } } },
  { tool_choice: { type: 'allowed_tools', mode: 'required', tools: [] } },
  { function_call: { name: 'a' } },
  { generationConfig: { responseMimeType: 'application/json' } },
  { generation_config: { response_mime_type: 'text/x.enum' } },
  { toolConfig: { functionCallingConfig: { mode: 'ANY' } } },
])('%j binds the form', (body) => {
  expect(mayPrefill(body)).toBe(false);
});

test.each<JsonObject>([
  {},
  { response_format: null, text: null, output_config: null, tool_choice: null },
  { response_format: { type: 'text' } },
  { text: { format: { type: 'text' }, verbosity: 'low' } },
  { output_config: { effort: 'low' } },
  { guided_json: null, grammar: '' },
  { tool_choice: 'auto' },
  { tool_choice: 'none' },
  { function_call: 'auto' },
  { function_call: 'none' },
  { tool_choice: { type: 'auto' } },
  { tool_choice: { type: 'none' } },
  { tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [] } } },
  { generationConfig: { responseMimeType: 'text/plain', thinkingConfig: null } },
  { toolConfig: { functionCallingConfig: { mode: 'VALIDATED' } } },
])('%j leaves the form free', (body) => {
  expect(mayPrefill(body)).toBe(true);
});
