// An upstream's bill is judged by the catalog of its time: whatever was edited since changes nothing of what was used.

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { type AdminApi, adminApiOf } from '../../support/admin-api.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../../support/gateway.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { chatAnswer, jsonScript } from '../../support/openai-chat.ts';
import { type TestDocument, upModel } from '../../support/test-document.ts';

let gateway: TestGateway;
let api: AdminApi;
let account: TestAccount;
beforeEach(async () => {
  gateway = await startTestGateway({ clock: createManualClock(), document: catalog({}) });
  api = adminApiOf(gateway);
  account = await gateway.register();
});
afterEach(() => gateway.stop());

const PAINTS = { kinds: ['chat', 'images'], price: { input: 10, output: 40, image: 0.1 } };

interface Edit {
  name?: string;
  input?: number;
}

/** A chat with a cost, one without, images, and two chats that paint, one with a cost that lacks what it says. */
function catalog({ name = 'first-name', input = 5 }: Edit): (standard: TestDocument) => TestDocument {
  const to = (model: string, cost?: object) => ({ routes: [{ channel: 'up', model, ...(cost ? { cost } : {}) }] });
  return (standard) => ({
    ...standard,
    models: [
      ...standard.models.slice(0, 2),
      upModel('talk', { price: { input: 10, output: 40 }, ...to(name, { input, output: 20 }) }),
      upModel('plain', { price: { input: 10, output: 40 }, ...to('plain-upstream') }),
      upModel('both', { ...PAINTS, ...to('both-upstream', { input: 5, output: 20, image: 0.05 }) }),
      upModel('half', { ...PAINTS, ...to('half-upstream', { input: 5, image: 0.05 }) }),
      upModel('paint', { kinds: ['images'], price: { image: 0.1 }, ...to('painter', { image: 0.05 }) }),
    ],
  });
}

/** 11 tokens in and 7 out, which cost NT$0.000195 at first. */
async function talk(model = 'talk'): Promise<void> {
  gateway.upstream.next(chatAnswer());
  expect((await gateway.chat(account.key, { model })).status).toBe(200);
}

async function reconcile(lines: string): Promise<AdminAnswerBody> {
  const { day } = (await api('GET', '/ledger?days=1')).body.days[0];
  const csv = `model,date,input_tokens,output_tokens,amount\n${lines.replaceAll('DAY', day)}`;
  const { status, body } = await api('POST', '/ledger/reconcile', { channel: 'up', csv });
  return { status, ...body };
}
type AdminAnswerBody = Awaited<ReturnType<AdminApi>>['body'];

const BILL = 'first-name,DAY,11,7,0.000195\n';

test('a cost and a name that are edited afterwards change nothing', async () => {
  await talk();
  const agreed = [
    { model: 'first-name', agrees: true, ours: { amount_nano: '195000' }, difference: { amount_ntd: 0 } },
  ];
  expect((await reconcile(BILL)).rows).toMatchObject(agreed);
  await gateway.apply(catalog({ name: 'second-name', input: 50 }));
  expect((await reconcile(BILL)).rows).toMatchObject(agreed);
  await talk();
  const { rows, notes } = await reconcile(`${BILL}second-name,DAY,11,7,0.00069\n`);
  expect(rows).toMatchObject([...agreed, { model: 'second-name', agrees: true, ours: { amount_nano: '690000' } }]);
  expect([rows.length, notes]).toEqual([2, []]);
});

test('a bill that names the model as we do has both of its names together', async () => {
  await talk();
  await gateway.apply(catalog({ name: 'second-name' }));
  await talk();
  expect((await reconcile('talk,DAY,22,14,0.00039\n')).rows).toMatchObject([{ model: 'talk', agrees: true }]);
});

test('the last bill of a channel that was removed', async () => {
  await talk();
  await gateway.apply((standard) => ({
    ...standard,
    channels: standard.channels.slice(0, 1),
    models: standard.models.slice(0, 2),
  }));
  expect((await reconcile(BILL)).rows).toMatchObject([{ model: 'first-name', agrees: true }]);
  expect(await reconcile('first-name,2020-01-01,1,1,1\n')).toMatchObject({
    status: 404,
    error: { message: 'there is no channel up' },
  });
  // Without a line that says when, nobody knows whether it had usage then: what is wrong with the lines is told.
  expect(await reconcile('first-name,15/11/2026,1,1,1\n')).toMatchObject({
    status: 200,
    rows: [],
    faults: [{ path: 'line 2.date' }],
  });
});

test('what is not known is not 0, alone and in the sum', async () => {
  await talk();
  await talk('plain');
  const { rows, totals, notes } = await reconcile(`${BILL}plain-upstream,DAY,11,7,3\n`);
  expect(rows).toMatchObject([
    { agrees: true },
    { model: 'plain-upstream', agrees: true, ours: { amount_ntd: null }, difference: { amount_ntd: null } },
  ]);
  expect([totals.ours.amount_ntd, totals.bill.amount_ntd]).toEqual([null, 3.000195]);
  expect(notes).toEqual([
    {
      code: 'no_cost',
      models: ['plain-upstream'],
      message: 'no cost is noted for plain-upstream: neither it nor the sum is known',
    },
  ]);
  const unsaid = await reconcile('first-name,DAY,11,7,\nplain-upstream,DAY,11,7,3\n');
  expect(unsaid.totals.bill.amount_ntd).toBeNull();
  expect(unsaid.notes[1]).toMatchObject({ code: 'no_amount', models: ['first-name'] });
});

test('images are compared by what they cost, not by tokens', async () => {
  gateway.upstream.next(jsonScript(200, { created: 1, data: [{ b64_json: 'QUJD' }] }));
  const body = { model: 'paint', prompt: 'a cat' };
  expect((await gateway.call('/v1/images/generations', { key: account.key, body })).status).toBe(200);
  const { rows, notes } = await reconcile('painter,DAY,,,0.05\n');
  expect(rows).toMatchObject([
    { agrees: true, difference: { input_tokens: null, output_tokens: null, amount_ntd: 0 } },
  ]);
  expect(notes).toMatchObject([{ code: 'per_image', models: ['painter'] }]);
  expect((await reconcile('painter,DAY,,,0.1\n')).rows).toMatchObject([{ agrees: false }]);
  // Neither tokens nor an amount: nothing was compared.
  expect((await reconcile('painter,DAY,,,\n')).rows).toMatchObject([
    { agrees: false, difference: { amount_ntd: null } },
  ]);
});

test('a price per image beside those of tokens leaves tokens to be compared', async () => {
  await talk('both');
  const { rows, notes } = await reconcile('both-upstream,DAY,11,7,0.000195\n');
  expect(rows).toMatchObject([{ agrees: true, difference: { input_tokens: 0, output_tokens: 0, amount_ntd: 0 } }]);
  expect(notes).toEqual([]);
  expect((await reconcile('both-upstream,DAY,1100,700,0.000195\n')).rows).toMatchObject([{ agrees: false }]);
});

test('a cost that lacks one of its prices of tokens is not known', async () => {
  await talk('half');
  const { rows, notes } = await reconcile('half-upstream,DAY,11,7,0.000055\n');
  expect(rows).toMatchObject([{ ours: { amount_ntd: null }, difference: { amount_ntd: null } }]);
  expect(notes).toMatchObject([{ code: 'no_cost', models: ['half-upstream'] }]);
});
