// The tool that costs money: one chat call, which is held, routed, charged and recorded like any other.

import { z } from 'zod';
import { SESSION_HEADER } from '../../dialects/conversation.ts';
import { readAnswerText } from '../../dialects/openai-chat/read-answer.ts';
import type { JsonObject } from '../../kit/json/json.ts';
import { idOf, number, text } from '../../kit/shapes.ts';
import { QUOTE_HEADER } from '../quoted-price.ts';
import { chatCompletions } from '../routes/model-calls.ts';
import { providerShape } from '../routes/outlines.ts';
import type { Arguments, McpTool, ToolAnswer } from './tool.ts';

export const chatPath = chatCompletions.path;

/** The fields of a question. A quote takes the same. */
export const askFields = z.object({
  model: text.describe('An id of the tool models. auto:free costs nothing.'),
  models: z.array(text).optional().describe('Other models to ask in this order if the model fails.'),
  provider: providerShape.optional(),
  prompt: text.optional().describe('The question. After messages, if there are any.'),
  messages: z
    .array(z.object({ role: z.enum(['system', 'user', 'assistant']), content: text }))
    .optional()
    .describe('The conversation so far.'),
  max_tokens: z.int().min(1).optional().describe('The most output tokens, which limits the cost.'),
  session: text.optional().describe('A name for the session, which session budgets count by.'),
});

/** Fields in a fixed order: a quote holds for exactly this text. Some clients send null for what is left out. */
export function writeChat({ model, models, provider, prompt, messages, max_tokens: maxTokens }: Arguments) {
  const asked = prompt === undefined || prompt === null ? [] : [{ role: 'user', content: prompt }];
  const before = messages ?? [];
  // The call itself refuses a value that is no list.
  return {
    model,
    models: models ?? undefined,
    provider: provider ?? undefined,
    messages: Array.isArray(before) ? [...before, ...asked] : before,
    max_tokens: maxTokens ?? undefined,
  };
}

const answer = z.object({
  text: text.describe('The answer.'),
  model: text,
  finish_reason: text.nullable().describe('length: max_tokens was reached.'),
  channel: text.describe('The upstream channel that served.'),
  cost_ntd: number.describe('What it cost, in NT$.'),
  balance_ntd: number.describe('The balance after it, in NT$.'),
  request_id: idOf('req'),
  budget_warning: text.optional().describe('A budget of the key that is nearly used up.'),
});

function readAnswer(completion: JsonObject, headers: Headers): ToolAnswer {
  const { text: said, model, finishReason } = readAnswerText(completion);
  const warning = headers.get('x-svc-budget-warning');
  const facts = {
    model,
    finish_reason: finishReason,
    channel: headers.get('x-svc-channel') ?? '',
    cost_ntd: Number(headers.get('x-svc-cost-ntd')),
    balance_ntd: Number(headers.get('x-svc-balance-ntd')),
    request_id: headers.get('x-request-id') ?? '',
    ...(warning === null ? {} : { budget_warning: warning }),
  };
  return { structured: { text: said, ...facts }, texts: [said, JSON.stringify(facts)] };
}

export function askHeaders({ quote_id: quote, session }: Arguments): Record<string, string> {
  return {
    ...(typeof quote === 'string' ? { [QUOTE_HEADER]: headerText(quote) } : {}),
    ...(typeof session === 'string' ? { [SESSION_HEADER]: headerText(session) } : {}),
  };
}

/** Escapes characters that a header cannot hold. */
function headerText(value: string): string {
  return value.toWellFormed().replace(/[^\x21-\x7e]+/g, encodeURIComponent);
}

export const ask: McpTool = {
  name: 'ask',
  title: 'Ask a model',
  description:
    'Ask a model and get its answer as text. Costs money: the tokens at the price of the model, from the balance. The result names the cost.',
  input: askFields.extend({
    quote_id: text.optional().describe('Of the tool quote, with the same arguments: the price is as quoted.'),
  }),
  output: answer,
  isReadOnly: false,
  write: (given) => ({ path: chatPath, body: writeChat(given), headers: askHeaders(given) }),
  read: readAnswer,
};
