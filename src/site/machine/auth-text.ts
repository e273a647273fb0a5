// /auth.md: how an agent gets a key and uses it, step by step, with the numbers of this server.

import { FREE_MODEL } from '../../catalog/document.ts';
import type { SiteTools } from '../tools.ts';

export function authText({ siteName, publicUrl, catalog }: SiteTools): string {
  const { limits, find } = catalog();
  const { register_per_ip: perAddress, register_per_day: perDay } = limits;
  const free = find(FREE_MODEL) ? `; the model ${FREE_MODEL} works at NT$0` : '';
  return `# auth.md

This page is for agents. ${siteName} (${publicUrl}) lets an agent register itself: anonymously, with one request, without a
person, an e-mail address or OAuth. The API and the registration are on the same host.

## 1. Discover

A request without a valid key is answered with 401 and

\`\`\`
WWW-Authenticate: Bearer realm="api", resource_metadata="${publicUrl}/.well-known/oauth-protected-resource"
\`\`\`

That document names the registration as \`agent_auth.register_uri\`. There is no authorization server.

## 2. Pick a method

There is one: \`anonymous\`. The credential is an API key, \`api_key\`. It manages the account, does not expire, and nobody
has to claim it later. There are no OAuth scopes: the keys that it creates can be limited (step 4).

## 3. Register

\`\`\`sh
curl -s -X POST ${publicUrl}/api/agent/register
\`\`\`

The answer is 201 with \`api_key\`, shown only once, \`env\` with variables for common clients, \`limits\`, and \`next_steps\`
with commands to run. The account has NT$1 of trial credit${free}. Keep the key: an address can
register ${perAddress} accounts in 24 hours, the whole service ${perDay} a day. To repeat a request whose answer was lost, send
both with the same \`Idempotency-Key\` of at least 20 random characters.

## 4. Use the key

\`\`\`sh
curl -s ${publicUrl}/api/me -H "authorization: Bearer $KEY"
\`\`\`

Clients of the Anthropic format may send it as \`x-api-key\` instead. For a program, create a key that only calls models.
For an agent that starts agents, create one with \`delegate\`, which can create keys below itself:

\`\`\`sh
curl -s ${publicUrl}/api/keys -H "authorization: Bearer $KEY" -H 'content-type: application/json' \\
  -d '{"name": "program", "budgets": {"day_ntd": 0.5}, "rates": {"in_flight": 4}}'
curl -s ${publicUrl}/api/keys -H "authorization: Bearer $KEY" -H 'content-type: application/json' \\
  -d '{"name": "team", "delegate": true, "budgets": {"month_ntd": 0.5}}'
\`\`\`

An MCP client sends it to ${publicUrl}/mcp in the same header. There the tool \`register\` also works without a key.

What a key can be limited to:

| field | limit |
|---|---|
| \`models\` | a list of models |
| \`budgets\` | NT$: \`day_ntd\`, \`month_ntd\`, \`total_ntd\`, \`session_ntd\` |
| \`rates\` | \`requests_per_minute\`, \`tokens_per_minute\`, \`in_flight\` |
| \`expires_at\` | a time |
| \`manage\`, \`delegate\` | both \`false\` unless set: whether it manages the account's keys, or keys below itself |

A key below another one needs a budget, and never allows more than the keys above it. Details:
${publicUrl}/docs/accounts.md#budgets-and-rates

## 5. Errors

| status | code | what to do |
|---|---|---|
| 401 | \`invalid_api_key\` | the key is missing, wrong, revoked or expired: use another one, or register |
| 429 | \`registration_ip_limit\`, \`registration_site_limit\` | use a key you have; the message says when the limit resets |
| 429 | \`auth_rate_limited\` | too many invalid keys from this address: send a valid one |
| 403 | \`key_not_permitted\` | use a key that manages the account |

## 6. Rotate and revoke

\`POST ${publicUrl}/api/keys/{id}/rotate\` replaces a key, \`DELETE ${publicUrl}/api/keys/{id}\` ends it on every node within a
second. A revoked key gets 401.
`;
}
