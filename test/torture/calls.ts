// The calls of the load. Each notes what was acknowledged to it, and nothing else: a call that breaks off has no facts.

import type { Answer } from '../support/answer.ts';
import { untilHeard } from '../support/race.ts';
import { parseSse, usageOf } from '../support/sse.ts';
import type { Account, Facts } from './facts.ts';

/** When the process dies mid-call the connection may also just fall silent. */
const CALL_MS = 10_000;

export interface Caller {
  url: string;
  facts: Facts;
  /** A refusal of a busy server is an answer, too; otherwise the call is repeated. */
  takesRefusals?: boolean;
}

/** How a call ended that got what it asked for, or the beginning of it. */
export type CallEnd = 'acknowledged' | 'hung up' | 'error event' | 'cut off';

export type CallKind = 'paid json' | 'paid stream' | 'free json' | 'free stream' | 'hang up';

async function post(url: string, path: string, key: string | undefined, body: unknown, signal?: AbortSignal) {
  const limits = [AbortSignal.timeout(CALL_MS), ...(signal ? [signal] : [])];
  return fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) },
    body: JSON.stringify(body),
    signal: AbortSignal.any(limits),
  });
}

async function expectStatus(response: Response, status: number): Promise<void> {
  if (response.status === status) return;
  throw new UnexpectedAnswer(
    `${response.status}: ${await response.text()}`,
    response.status,
    response.headers.has('retry-after'),
  );
}

/** An answer that the service should not have given, as opposed to none at all. */
export class UnexpectedAnswer extends Error {
  constructor(
    message: string,
    readonly status = 200,
    readonly saysWhen = false,
  ) {
    super(message);
  }
}

/** A call that was served, and whose settlement was not known in time. */
export class UnknownCost extends UnexpectedAnswer {}

export async function register({ url, facts }: Caller): Promise<Account> {
  const response = await post(url, '/api/agent/register', undefined, {});
  await expectStatus(response, 201);
  const answer: Answer = await response.json();
  const account = { accountId: answer.account_id, key: answer.api_key };
  facts.accounts.push(account);
  return account;
}

export async function redeem({ url, facts }: Caller, account: Account, code: string): Promise<void> {
  const response = await post(url, '/api/redeem', account.key, { code });
  await expectStatus(response, 200);
  const answer: Answer = await response.json();
  facts.redeems.push({
    accountId: account.accountId,
    serial: answer.card_serial,
    amount: BigInt(answer.amount_nano),
  });
}

export async function createKey({ url, facts }: Caller, account: Account): Promise<void> {
  const response = await post(url, '/api/keys', account.key, { name: 'tortured' });
  await expectStatus(response, 201);
  const answer: Answer = await response.json();
  facts.keys.push(answer.api_key);
}

export async function chat(caller: Caller, account: Account, kind: CallKind): Promise<CallEnd> {
  const { url, facts, takesRefusals = false } = caller;
  const leave = new AbortController();
  const stream = kind !== 'paid json' && kind !== 'free json';
  const body = {
    model: kind.startsWith('free') ? 'auto:free' : 'paid',
    max_tokens: 100,
    messages: [{ role: 'user', content: `${account.accountId} says hello` }],
    ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
  };
  // Nothing was acknowledged to who is turned away from a busy server.
  const call = () => post(url, '/v1/chat/completions', account.key, body, leave.signal);
  const response = await (takesRefusals ? call() : untilHeard(call));
  await expectStatus(response, 200);
  const requestId = response.headers.get('x-request-id') ?? '';
  const { accountId } = account;
  if (kind === 'hang up') {
    const reader = response.body?.getReader();
    await reader?.read();
    leave.abort();
    await reader?.cancel().catch(() => {});
    return 'hung up';
  }
  const text = await response.text();
  if (!stream) {
    const cost = response.headers.get('x-svc-cost-ntd');
    if (cost === null) throw new UnknownCost('an answer without its cost');
    expectPrice(kind, nanoOf(cost), JSON.parse(text).usage);
    facts.requests.push({ requestId, accountId, cost: nanoOf(cost) });
    return 'acknowledged';
  }
  const events = parseSse(text);
  const usage = usageOf(events);
  const cost = usage?.cost_nano;
  if (cost !== undefined) {
    expectPrice(kind, BigInt(cost), usage);
    facts.requests.push({ requestId, accountId, cost: BigInt(cost) });
    return 'acknowledged';
  }
  if (text.includes('[DONE]')) throw new UnknownCost('a stream without its cost');
  // The text of a cut connection stops somewhere.
  return text.includes('"error":') ? 'error event' : 'cut off';
}

/** A busy server is asked again. */
export async function keyWorks(url: string, key: string): Promise<boolean> {
  const response = await untilHeard(() => fetch(`${url}/api/me`, { headers: { authorization: `Bearer ${key}` } }));
  await response.text();
  return response.status === 200;
}

/** What `tortureDocument` says of the model `paid`, in nano-NT$ per token. */
const PRICE = { input: 10_000n, output: 40_123n };

function expectPrice(kind: CallKind, cost: bigint, usage: Answer): void {
  const paid = BigInt(usage.prompt_tokens) * PRICE.input + BigInt(usage.completion_tokens) * PRICE.output;
  const expected = kind.startsWith('free') ? 0n : paid;
  if (cost !== expected) throw new UnexpectedAnswer(`charged ${cost} instead of ${expected}`);
}

export function nanoOf(ntd: string): bigint {
  const [whole = '0', fraction = ''] = ntd.split('.');
  return BigInt(whole) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'));
}
