// Back to an old revision: its secrets come back only where no newer one stands, and the page says what that changes.

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { parse, stringify } from 'yaml';
import type { SiteClient } from '../../site/site-client.ts';
import { type AdminApi, adminApiOf } from '../../support/admin-api.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { chatAnswer } from '../../support/openai-chat.ts';
import { UPSTREAM_KEY } from '../../support/test-document.ts';
import { clientOf, fieldOf } from './operator-client.ts';

let gateway: TestGateway;
let api: AdminApi;
let client: SiteClient;
beforeEach(async () => {
  gateway = await startTestGateway();
  api = adminApiOf(gateway);
  client = await clientOf(gateway);
});
afterEach(() => gateway.stop());

const RETURN = '/models/revisions/1/return';
const ask = async () => (await client.get(RETURN)).text();

test('a secret that was replaced stays so, and its return is no change', async () => {
  const { revision, yaml } = (await api('GET', '/document')).body;
  const newer = yaml.replace('<kept>', 'a-newer-fake-secret-0123456789');
  expect((await api('PUT', '/document', { yaml: newer, base_revision: revision })).status).toBe(200);
  const html = await ask();
  expect(html).toContain('No changes.');
  expect(html).toContain('channels keep their current stored keys');
  expect((await client.post(RETURN, { base: fieldOf(html, 'base') })).status).toBe(409);
});

test('a channel that was taken away comes back with its key, after what jumps was confirmed', async () => {
  expect((await api('DELETE', '/channels/up?force=true')).status).toBe(200);
  const { revision, yaml } = (await api('GET', '/document')).body;
  const document = parse(yaml);
  for (const model of document.models) if (model.price !== 'free') model.price = { input: 9_000, output: 9_000 };
  const dear = { yaml: stringify(document), base_revision: revision, confirmed: true };
  expect((await api('PUT', '/document', dear)).status).toBe(200);
  const html = await ask();
  expect(html).toContain('name="confirmed"');
  expect(html).toContain('api_key: &lt;returned&gt;');
  expect(html).toContain('The channel up gets its stored key of revision 1 again');
  const done = await client.post(RETURN, { base: fieldOf(html, 'base'), confirmed: 'yes' });
  expect(done.status).toBe(303);
  gateway.upstream.otherwise(chatAnswer());
  const { key } = await gateway.register();
  expect((await gateway.chat(key, { model: 'up-free' })).status).toBe(200);
  expect(gateway.upstream.requests.at(-1)?.headers.authorization).toBe(`Bearer ${UPSTREAM_KEY}`);
});

test('usage that was kept for ever, and keys that nobody was to lose, ask before they go', async () => {
  const { revision, yaml } = (await api('GET', '/document')).body;
  const document = parse(yaml);
  const put = (guards: unknown, base: number) =>
    api('PUT', '/document', { yaml: stringify({ ...document, guards }), base_revision: base });
  expect((await put({ usage_months: null }, revision)).status).toBe(200);
  expect((await put({ usage_months: null, suspend_unused_days: 30 }, revision + 1)).body.error).toMatchObject({
    details: { warnings: [{ code: 'suspension_shortened', after: '30' }] },
  });
  const html = await ask();
  expect(html).toContain('Usage will be kept for 24 months instead of permanently.');
  expect(await (await (await clientOf(gateway, 'zh-TW')).get(RETURN)).text()).toContain(
    '用量將只保留 24 個月（原本永久保留）。',
  );
  expect((await client.post(RETURN, { base: fieldOf(html, 'base') })).status).toBe(409);
  expect((await client.post(RETURN, { base: fieldOf(html, 'base'), confirmed: 'yes' })).status).toBe(303);
});
