// The form of a key that comes after something else has changed: what it leaves as it stands needs not be allowed any
// more.

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { wordsOf } from '../../src/site/language.ts';
import type { Answer } from '../support/answer.ts';
import { createKey } from '../support/create-key.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { signedIn } from './site-client.ts';

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startTestGateway();
});
afterEach(() => gateway.stop());

const withoutDemo = () =>
  gateway.apply((standard) => ({ ...standard, models: standard.models.filter(({ id }) => id !== 'demo-small') }));

test.each(['en', 'zh-TW'] as const)('in %s, a key is renamed though a model of its list has left', async (language) => {
  const { key } = await gateway.register();
  const { id } = await createKey(gateway, key, { name: 'old', models: ['demo-small', 'up-paid'] });
  await withoutDemo();
  const client = await signedIn(gateway, key, language);
  const change = (form: object) =>
    client.post(`/account/keys/${id}`, {
      name: 'new',
      models: 'demo-small, up-paid',
      budget: '',
      expires: '',
      ...form,
    });
  expect((await change({})).headers.get('location')).toBe('/account/keys?done=saved');
  const { data } = await gateway.get('/api/keys', key);
  const changed = data.find((one: Answer) => one.id === id);
  expect(changed).toMatchObject({ name: 'new', models: ['demo-small', 'up-paid'] });

  const { account, fields } = wordsOf(language);
  const wrongBudget = await (await change({ budget: '-1' })).text();
  expect(wrongBudget).toContain(`<p>${fields.daily_budget_ntd}</p>`);
  expect(wrongBudget).not.toContain(account.keys.noModel('demo-small'));
  const added = await change({ models: 'demo-small, none-such' });
  expect([added.status, await added.text()]).toEqual([400, expect.stringContaining(account.keys.noModel('none-such'))]);
});
