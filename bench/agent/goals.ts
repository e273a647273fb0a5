// What the agent is asked to do, in words, and how it sees that it has done it. No goal names a path: the words are looked
// for in what the service's answers say.

import type { HttpCall } from '../../test/support/read-command.ts';
import type { Agent, Answer } from './agent.ts';
import { type Json, readJson } from './read-offers.ts';

/** What one goal leaves to the next. */
export interface Progress {
  paidModel: string;
  /** The last paid call. */
  paid: { requestId: string; costNtd: number } | undefined;
}

export interface Goal {
  name: string;
  /** Throws if it is not reached. */
  reach(agent: Agent, progress: Progress): Promise<void>;
}

export const GOALS: readonly Goal[] = [
  { name: 'find the API and register', reach: register },
  { name: 'a free answer', reach: freeAnswer },
  { name: 'a streamed answer', reach: streamedAnswer },
  { name: 'a paid call', reach: paidCall },
  { name: 'redeem a card', reach: redeem },
  { name: 'a child key with a budget', reach: childKey },
  { name: 'recover from a refusal', reach: recover },
  { name: 'a quote, and a call at its price', reach: quotedCall },
  { name: 'verify the bill of a call', reach: verifyBill },
  { name: 'what happened to the account', reach: readEvents },
  { name: 'MCP', reach: useMcp },
  { name: 'Claude Code', reach: claudeCode },
];

function check(isTrue: unknown, what: string): asserts isTrue {
  if (!isTrue) throw new Error(what);
}

function expectOk({ status, text }: Answer): void {
  check(status < 300, `${status}: ${text.slice(0, 300)}`);
}

/** The same call with other members of its JSON body. */
function withBody(call: HttpCall, change: (body: Json) => Json): HttpCall {
  return { ...call, body: JSON.stringify(change(readJson(call.body ?? '{}'))) };
}

function isChat({ method, body }: HttpCall): boolean {
  const json = readJson(body ?? '');
  return method === 'POST' && Array.isArray(json?.messages) && json.max_tokens === undefined;
}

/** The words of calls that answer a conversation. */
const CHAT = /\bchat\b|\banswer of\b|\banswer;/i;

const KEY_WITH_LIMITS = /\bkey\b.*\b(budgets|limits)\b/i;

const textOf = ({ json }: Answer): string => json?.choices?.[0]?.message?.content ?? '';

async function register(agent: Agent): Promise<void> {
  await agent.open();
  const answer = await agent.follow(/\bregister/i);
  expectOk(answer);
  check(agent.key.length > 20, 'no key came');
}

async function freeAnswer(agent: Agent): Promise<void> {
  const { call } = await agent.find(CHAT, (one) => isChat(one) && !readJson(one.body ?? '').stream);
  const answer = await agent.send(call);
  expectOk(answer);
  check(textOf(answer) !== '', 'the answer has no text');
}

async function streamedAnswer(agent: Agent): Promise<void> {
  const answer = await agent.follow(/\bstream\b/i);
  expectOk(answer);
  check(answer.text.endsWith('data: [DONE]\n\n'), 'the stream did not end');
}

async function paidCall(agent: Agent, progress: Progress): Promise<void> {
  const listed = await agent.follow(/\bmodels\b.*\bprices?\b/i);
  expectOk(listed);
  const { call } = await agent.find(CHAT, isChat);
  const paid: Json[] = listed.json.data.filter(
    ({ free, endpoints }: Json) => free === false && endpoints.some((path: string) => call.url.endsWith(path)),
  );
  const [cheapest] = paid.toSorted((one, other) => one.price.output - other.price.output);
  check(cheapest, 'no model has a price');
  progress.paidModel = cheapest.id;
  expectOk(await callPaid(agent, progress));
}

async function callPaid(agent: Agent, progress: Progress, headers: Record<string, string> = {}, key = agent.key) {
  const { call } = await agent.find(CHAT, isChat);
  const paid = withBody(call, ({ messages }) => ({ model: progress.paidModel, messages }));
  const answer = await agent.send({ ...paid, headers: { ...paid.headers, ...headers } }, key);
  if (answer.status < 300) {
    const costNtd = Number(answer.headers.get('x-svc-cost-ntd'));
    check(costNtd > 0, 'the answer does not say what it cost');
    progress.paid = { requestId: answer.headers.get('x-request-id') ?? '', costNtd };
  }
  return answer;
}

async function redeem(agent: Agent): Promise<void> {
  const answer = await agent.follow(/\bcard\b/i);
  expectOk(answer);
  check(answer.json.credited_ntd > 0, 'nothing was credited');
}

async function childKey(agent: Agent): Promise<void> {
  const team = await agent.follow(/\bkey\b.*\bagents\b/i);
  expectOk(team);
  const child = await agent.follow(KEY_WITH_LIMITS, team.json.api_key);
  expectOk(child);
  check(child.json.parent_id === team.json.id, 'the key is no child of the other');
}

/** A budget that covers nothing; then what the refusal names, and the call again. */
async function recover(agent: Agent, progress: Progress): Promise<void> {
  const { call } = await agent.find(KEY_WITH_LIMITS);
  const poor = await agent.send(withBody(call, (body) => ({ ...body, budgets: { total_ntd: 0.000000001 } })));
  expectOk(poor);
  const refused = await callPaid(agent, progress, {}, poor.json.api_key);
  check(refused.status === 402, `not refused: ${refused.status}`);
  const [first] = refused.offers.filter(({ kind, call: action }) => kind === 'call' && action.method !== 'GET');
  check(first, 'the refusal names no action');
  expectOk(await agent.send(first.call, /managing key/.test(first.about) ? agent.key : poor.json.api_key));
  expectOk(await callPaid(agent, progress, {}, poor.json.api_key));
}

async function quotedCall(agent: Agent, progress: Progress): Promise<void> {
  const { call, about } = await agent.find(/\bcall can cost\b|\bquote\b/i);
  const { call: chat } = await agent.find(CHAT, isChat);
  const { messages } = readJson(chat.body ?? '');
  const body = { model: progress.paidModel, messages };
  const quote = await agent.send(withBody(call, (asked) => ({ ...asked, body })));
  expectOk(quote);
  const [, header = ''] = /header `?(x-[\w-]+)/.exec(about) ?? [];
  check(header !== '', 'no header is named for the quote');
  const answer = await callPaid(agent, progress, { [header]: quote.json.quote_id });
  expectOk(answer);
  check((progress.paid?.costNtd ?? Number.NaN) <= quote.json.max_cost_ntd, 'the call cost more than was quoted');
}

async function verifyBill(agent: Agent, progress: Progress): Promise<void> {
  check(progress.paid, 'there was no paid call');
  const { requestId, costNtd } = progress.paid;
  const { json: receipt, ...answer } = await agent.follow(/\bcost of one request\b|\breceipt\b/i);
  expectOk({ ...answer, json: receipt });
  check(receipt.request_id === requestId, 'it is the receipt of another call');
  const lines: Json[] = receipt.lines;
  const amounts = lines.map(({ amount_nano: amount }) => BigInt(amount));
  const sum = amounts.reduce((total, amount) => total + amount, 0n);
  check(sum.toString() === receipt.cost_nano, 'the lines do not sum to the cost');
  check(Number(sum) / 1e9 === costNtd, 'the receipt and the header differ');
  const isRight = ({ quantity, unit_price_nano: unit, amount_nano: amount }: Json) =>
    BigInt(quantity) * BigInt(unit) === BigInt(amount);
  check(lines.every(isRight), 'a line is not its quantity times its price');
}

/** The events so far, then by the cursor none that was read before. */
async function readEvents(agent: Agent): Promise<void> {
  const { call } = await agent.find(/\bevents?\b|\bhappened to the account\b/i, ({ method }) => method === 'GET');
  const first = await agent.send(call);
  expectOk(first);
  const types: string[] = first.json.data.map(({ type }: Json) => type);
  check(types.includes('key.created') && types.includes('card.redeemed'), `only these happened: ${types}`);
  const rest = await agent.send({ ...call, url: `${call.url}?after=${first.json.next_cursor}` });
  expectOk(rest);
  check(rest.json.data.length === 0, 'the cursor leads to events that were read');
}

/** As a client of the protocol begins: initialize, the tools, and a call of the one that is about the balance. */
async function useMcp(agent: Agent): Promise<void> {
  const { call } = await agent.find(/\bMCP\b/);
  const clientInfo = { name: 'agent', version: '1' };
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  check((await ask('initialize', hello)).capabilities.tools, 'the server has no tools');
  const { tools }: Json = await ask('tools/list', {});
  const tool = tools.find(({ description }: Json) => /\bbalance\b/i.test(description));
  check(tool, 'no tool is about the balance');
  const { structuredContent: account, isError } = await ask('tools/call', { name: tool.name, arguments: {} });
  check(!isError && account.balance_ntd > 0, 'the tool did not say the balance');

  async function ask(method: string, params: object): Promise<Json> {
    const accept = 'application/json, text/event-stream';
    const body = JSON.stringify({ jsonrpc: '2.0', id: method, method, params });
    const answer = await agent.send({ ...call, headers: { ...call.headers, accept }, body });
    expectOk(answer);
    const message = answer.json ?? readJson(/^data: (.+)$/m.exec(answer.text)?.[1] ?? '');
    check(message?.result, `no result: ${answer.text.slice(0, 300)}`);
    return message.result;
  }
}

/** The calls that Claude Code makes, with the variables of the registration and nothing else. */
async function claudeCode(agent: Agent): Promise<void> {
  const { ANTHROPIC_BASE_URL: base, ANTHROPIC_AUTH_TOKEN: token, ANTHROPIC_API_KEY: other } = agent.env;
  const { ANTHROPIC_MODEL: model, ANTHROPIC_DEFAULT_HAIKU_MODEL: small } = agent.env;
  const context = Number(agent.env.CLAUDE_CODE_MAX_CONTEXT_TOKENS);
  check(base && token && model && small && context > 0, 'a variable is missing');
  check(other === '', 'another key would be sent in place of the token');
  const call = (path: string, body: object): HttpCall => ({
    method: 'POST',
    url: base + path,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'claude-cli/2.1.0 (external, cli)',
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'claude-code-20250219,interleaved-thinking-2025-05-14',
    },
    body: JSON.stringify(body),
  });
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }];
  const system = [{ type: 'text', text: 'You are Claude Code.', cache_control: { type: 'ephemeral' } }];
  const tools = [{ name: 'Bash', description: 'Runs a command', input_schema: { type: 'object', properties: {} } }];
  const turn = { model, max_tokens: 32_000, stream: true, system, tools, messages };
  const main = await agent.send(call('/v1/messages?beta=true', turn), token);
  expectOk(main);
  check(main.text.includes('event: message_stop'), 'the message did not end');
  expectOk(await agent.send(call('/v1/messages?beta=true', { ...turn, model: small, max_tokens: 512 }), token));
  const counted = await agent.send(call('/v1/messages/count_tokens?beta=true', { model, messages, tools }), token);
  expectOk(counted);
  check(counted.json.input_tokens > 0, 'no tokens were counted');
}
