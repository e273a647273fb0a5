// What must be true of a cell when it has ended: the client's answer is whole and from one route, or an honest error in its
// own format; and what it paid.

import { expect } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import { eventually } from '../support/eventually.ts';
import type { TestGateway } from '../support/gateway.ts';
import { costAt, TRIAL } from '../support/lab.ts';
import { modelAsked } from '../support/wire-clients.ts';
import type { Answered, Run } from './bench.ts';
import { nameOf, type Outcome } from './cells.ts';
import { PRICES } from './document.ts';
import type { ProviderFault } from './faults.ts';
import { FIRST, OTHER } from './upstream-scripts.ts';

/** Throws what is not as it should be, with the name of the cell. */
export async function checkRun(gateway: TestGateway, fault: ProviderFault, run: Run): Promise<void> {
  try {
    let spent = 0n;
    for (const [n, answered] of run.calls.entries()) {
      const expected = n === run.calls.length - 1 ? fault.expect(run.cell) : 'served';
      spent += await checkCall(gateway, fault, run, answered, expected);
    }
    const { client, form } = run.cell;
    const pathOf = (model: string) => client.call({ model, stream: form === 'stream' }).path;
    const astray = run.requests.filter((request) => request.path !== pathOf(modelAsked(request)));
    expect(astray, 'requests to another address').toEqual([]);
    const prefilled = run.requests.some(({ json }) => client.prefillOf(json) !== undefined);
    expect(prefilled, 'a prefill').toBe(fault.prefill === true && form === 'stream');
    const { key } = run.account;
    const me = await gateway.get('/api/me', key);
    expect([BigInt(me.balance_nano), me.held_nano], 'balance and hold').toEqual([TRIAL - spent, '0']);
    expect((await gateway.get('/api/usage?limit=200', key)).data, 'usage records').toHaveLength(run.calls.length);
  } catch (error) {
    throw new Error(`${nameOf(run.cell)}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** What the call cost. */
async function checkCall(
  gateway: TestGateway,
  fault: ProviderFault,
  run: Run,
  answered: Answered,
  expected: Outcome,
): Promise<bigint> {
  const id = answered.response.headers.get('x-request-id');
  const record = await eventually('the usage record', async () => {
    const receipt = await gateway.get(`/api/receipts/${id}`, run.account.key);
    return receipt.request_id ? receipt : undefined;
  });
  if (typeof expected === 'object') checkError(run, answered, record, expected);
  else if (expected === 'broken') checkBroken(run, answered, record);
  else checkServed(fault, run, answered, record, expected);
  return BigInt(record.cost_nano);
}

function checkServed(
  fault: ProviderFault,
  run: Run,
  answered: Answered,
  record: Answer,
  expected: Exclude<Outcome, object | 'broken'>,
): void {
  const { cell, channels } = run;
  const { response } = answered;
  expect(response.status, answered.text).toBe(200);
  const channel = response.headers.get('x-svc-channel');
  const said = read(run, answered);
  const server = expected === 'served' ? (said.text === OTHER.pieces.join('') ? 'other' : 'first') : expected;
  const began = server === 'other' ? channels.other : channels.first;
  expect(channel, 'x-svc-channel').toBe(began);
  expect(record.channel, 'channel of the record').toBe(began);
  expect(record.status).toBe('ok');
  expect(said.text).toBe(textOf(fault, server));
  const isOther = server === 'other' || server === 'continued';
  const isFallback = isOther && cell.setup !== 'second_route';
  // The start of a message names its model, and there is no other place.
  const isNamed = server === 'continued' && cell.client.name === 'messages' ? run.model : undefined;
  expect(said.model, 'model').toBe(isNamed ?? (isFallback ? run.fallback : run.model));
  if (fault.isCounted && server === 'first') {
    expect(record).toMatchObject({ estimated: true });
    expect(BigInt(record.cost_nano)).toBeGreaterThan(0n);
    return;
  }
  const { input, output } = (isOther ? OTHER : FIRST).tokens;
  const prices = isFallback ? PRICES.fallback : PRICES.model;
  expect(record.cost_nano, 'cost').toBe(server === 'empty' ? '0' : costAt(prices, input, output));
}

function textOf(fault: ProviderFault, server: 'first' | 'other' | 'continued' | 'empty'): string {
  if (server === 'empty') return '';
  return (server === 'other' && !fault.repeatsAnswer ? OTHER : FIRST).pieces.join('');
}

/** A complete answer, read by the rules of its format. */
function read({ cell }: Run, { text }: Answered): { text: string; model: string } {
  const { client, form } = cell;
  if (form === 'whole') {
    const body = JSON.parse(text);
    const isEmpty = body.content?.length === 0 || body.output?.length === 0;
    return isEmpty ? { text: '', model: body.model } : client.readWhole(body);
  }
  const answer = client.assemble(text);
  expect(answer).toMatchObject({ complete: true, error: undefined });
  return { text: answer.content[client.textSlot] ?? '', model: answer.models.at(-1) ?? '' };
}

function checkError({ cell }: Run, { response, text }: Answered, record: Answer, expected: Outcome & object): void {
  const body = JSON.parse(text);
  expect([response.status, cell.client.faultOf(body).code], text).toEqual([expected.status, expected.code]);
  expect(body.type, 'an error in the format of the client').toBe(cell.client.name === 'messages' ? 'error' : undefined);
  expect(response.headers.get('x-svc-channel')).toBeNull();
  expect(record).toMatchObject({ channel: null, status: expected.code, cost_nano: '0' });
}

function checkBroken({ cell, channels }: Run, { response, text }: Answered, record: Answer): void {
  expect([response.status, response.headers.get('x-svc-channel')]).toEqual([200, channels.first]);
  const answer = cell.client.assemble(text);
  expect(answer.complete).toBe(false);
  expect(answer.error?.code, 'the error event').toBe('upstream_failed');
  expect(FIRST.pieces.join('')).toStartWith(answer.content[cell.client.textSlot] ?? 'nothing came');
  expect(record).toMatchObject({ status: 'upstream_failed', cost_nano: '0' });
}
