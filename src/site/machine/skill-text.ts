// /skill.md: the service as a skill that an agent can load, with front matter and commands to run.

import { exampleModel } from '../../catalog/catalog.ts';
import { FREE_MODEL } from '../../catalog/document.ts';
import type { SiteTools } from '../tools.ts';

export function skillText({ siteName, publicUrl, catalog }: SiteTools): string {
  const { limits } = catalog();
  const model = exampleModel(catalog(), 'chat');
  const id = model?.id ?? FREE_MODEL;
  const jsonWith = (key: string) => `-H "authorization: Bearer ${key}" -H 'content-type: application/json'`;
  const json = jsonWith('$KEY');
  return `---
name: ${slugOf(siteName)}
description: Call AI models through ${siteName} (${publicUrl}) in the OpenAI, Anthropic or Gemini format, with one key and a prepaid balance in NT$. Use it to register, stream an answer, compare prices, get a quote, check the balance, redeem a card or create a key with limits for an agent.
---

# ${siteName}

## Get a key

Skip this if \`$KEY\` holds a key (\`sk-svc-…\`). Details: ${publicUrl}/auth.md

\`\`\`sh
KEY=$(curl -fsS -X POST ${publicUrl}/api/agent/register | sed -n 's/.*"api_key":"\\([^"]*\\)".*/\\1/p')
\`\`\`

## Stream an answer

\`${id}\` ${model?.free ? `works at NT$0, ${limits.free_per_minute} times a minute.` : 'is paid with the balance, first with the trial credit.'}${model?.demo ? ' On this server it is a demo: it answers with built-in text and calls no model.' : ''}

\`\`\`sh
curl -sN ${publicUrl}/v1/chat/completions ${json} \\
  -d '{"model": "${id}", "stream": true, "messages": [{"role": "user", "content": "Hello"}]}'
\`\`\`

The same model is at \`/v1/messages\` (Anthropic), \`/v1/responses\` (OpenAI; as a WebSocket with GET) and
\`/v1beta/models/${id}:generateContent\` (Gemini). Base URLs for SDKs: ${publicUrl}/v1 (OpenAI), ${publicUrl} (Anthropic,
Gemini).

## Choose a model by its price

\`\`\`sh
curl -s ${publicUrl}/v1/models -H "authorization: Bearer $KEY"
\`\`\`

\`price\` is in NT$ per 1M tokens. Models with \`"demo": true\` answer with built-in text. The header \`x-svc-cost-ntd\` of an
answer is what it cost, \`x-svc-channel\` the upstream channel that served it. A model with \`retires_at\` ends then: use
\`replaced_by\`. Later prices are in \`price.changes\`.

## Know the cost before a call

\`\`\`sh
curl -s ${publicUrl}/api/quote ${json} \\
  -d '{"endpoint": "/v1/chat/completions", "body": {"model": "${id}", "messages": [{"role": "user", "content": "Hello"}]}}'
\`\`\`

\`max_cost_ntd\` is the most that the call can cost, \`refusal\` the error that it would get now, or null. Send the same body
with the header \`x-svc-quote: QUOTE_ID\` before its \`expires_at\` (10 minutes), and the call costs at most that.

## Choose models and channels

A call may carry \`"models": ["…"]\`, up to 10 models that are asked in this order if \`model\` fails, and \`"provider"\` for
its channels: \`only\`, \`ignore\` and \`order\` are lists of names as in \`x-svc-channel\`, \`sort\` is \`price\` or \`latency\`.
The price of the model that answers is charged; quotes cover the dearest. Details: ${publicUrl}/docs/relay#the-callers-own-routing

## Keys for programs and agents

The key of a registration manages the account. Give others a key with limits: \`budgets\` (\`day_ntd\`, \`month_ntd\`,
\`total_ntd\`, \`session_ntd\`), \`rates\` (\`requests_per_minute\`, \`tokens_per_minute\`, \`in_flight\`), \`models\`,
\`expires_at\`. A key with \`delegate\` creates a key for each agent that you start, within its own limits:

\`\`\`sh
TEAM=$(curl -fsS ${publicUrl}/api/keys ${json} \\
  -d '{"name": "team", "delegate": true, "budgets": {"month_ntd": 0.5}}' | sed -n 's/.*"api_key":"\\([^"]*\\)".*/\\1/p')
curl -s ${publicUrl}/api/keys ${jsonWith('$TEAM')} \\
  -d '{"name": "agent-1", "budgets": {"total_ntd": 0.1}, "rates": {"in_flight": 2}}'
\`\`\`

## Balance and cards

\`\`\`sh
curl -s ${publicUrl}/api/me -H "authorization: Bearer $KEY"
curl -s ${publicUrl}/api/usage -H "authorization: Bearer $KEY"
\`\`\`

What happened to the account, such as a low balance, a used-up budget or a changed price; with
\`-H 'accept: text/event-stream'\` it goes on as a stream:

\`\`\`sh
curl -s ${publicUrl}/api/events -H "authorization: Bearer $KEY"
\`\`\`

\`POST /api/webhooks {"url": …}\` sends the same events to a URL of yours, signed: ${publicUrl}/docs/accounts.md#webhooks

To add balance, put the code of a prepaid card in place of PC-…:

\`\`\`sh
curl -s ${publicUrl}/api/redeem ${json} -d '{"code": "PC-…"}'
\`\`\`

## As MCP tools

${publicUrl}/mcp (streamable HTTP) has the same as tools: register, models, status, quote, balance, usage, redeem,
create_key, ask. Send the key as \`Authorization: Bearer $KEY\`. Only ask costs money.

## When a call is refused

\`error.message\` gives the cause, then the remedy; \`error.actions\` lists calls that help; \`retry-after\` the seconds to
wait. Every code: ${publicUrl}/docs/errors.md. Every call: ${publicUrl}/openapi.json
`;
}

/** Lower-case letters, digits and hyphens, as names of skills must be. */
function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64);
  return slug === '' ? 'ai-gateway' : slug;
}
