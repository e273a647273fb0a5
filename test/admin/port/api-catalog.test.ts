// Channels, documents and prices through the operator's API.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { parse, stringify } from 'yaml';
import { type AdminApi, adminApiOf } from '../../support/admin-api.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { chatAnswer } from '../../support/openai-chat.ts';
import { UPSTREAM_KEY } from '../../support/test-document.ts';

let gateway: TestGateway;
let api: AdminApi;
beforeAll(async () => {
  gateway = await startTestGateway();
  api = adminApiOf(gateway);
  gateway.upstream.otherwise(chatAnswer());
});
afterAll(() => gateway.stop());

async function current(): Promise<{ revision: number; document: { channels: Fields[]; models: Fields[] } }> {
  const { body } = await api('GET', '/document');
  return { revision: body.revision, document: parse(body.yaml) };
}
type Fields = Record<string, unknown>;

async function lastAction() {
  return (await api('GET', '/actions?limit=1')).body.data[0];
}

/** What a revision added. */
async function changesOf(revision: number): Promise<string[]> {
  const { diff } = (await api('GET', `/revisions/${revision}`)).body;
  return diff.flatMap(({ kind, text }: Record<string, string>) => (kind === 'added' ? [text] : []));
}

describe('documents', () => {
  test('secrets are kept, never shown; an edit is checked, compared and applied', async () => {
    const { revision, document } = await current();
    const { body } = await api('GET', '/document');
    expect(body.yaml).toContain('<kept>');
    expect(body.yaml).not.toContain(UPSTREAM_KEY);
    const yaml = stringify({ ...document, limits: { ...((document as Fields).limits as Fields), in_flight: 31 } });
    const checked = await api('POST', '/document/check', { yaml, base_revision: revision });
    expect(checked.body).toMatchObject({ warnings: [], revision });
    expect(checked.body).not.toHaveProperty('faults');
    expect(checked.body).not.toHaveProperty('stale');
    const changed = checked.body.diff.filter(({ kind }: { kind: string }) => kind === 'added' || kind === 'removed');
    expect(changed).toMatchObject([{ kind: 'added', text: '  in_flight: 31' }]);
    const applied = await api('PUT', '/document', { yaml, base_revision: revision });
    expect([applied.status, applied.body.revision]).toEqual([200, revision + 1]);
    expect(await lastAction()).toMatchObject({
      actor: 'token',
      action: 'config.apply',
      subject: 'catalog',
      detail: { revision: revision + 1, after_revision: revision, lines_added: 1, lines_removed: 0 },
    });
    expect((await api('GET', `/revisions/${revision + 1}`)).body).toMatchObject({ actor: 'token', is_newest: true });
    const { key } = await gateway.register();
    expect((await gateway.chat(key, { model: 'up-free' })).status).toBe(200);
    expect(gateway.upstream.requests.at(-1)?.headers.authorization).toBe(`Bearer ${UPSTREAM_KEY}`);
  });

  test('a new secret is a change without being shown, and no return undoes it', async () => {
    const { revision, document } = await current();
    const secret = 'another-fake-secret-000000000000';
    const channels = document.channels.map((channel) =>
      channel.name === 'up' ? { ...channel, api_key: secret } : channel,
    );
    const yaml = stringify({ ...document, channels });
    const checked = await api('POST', '/document/check', { yaml });
    expect(JSON.stringify(checked.body)).not.toContain(secret);
    expect(checked.body.diff).toContainEqual(expect.objectContaining({ kind: 'added', text: '    api_key: <new>' }));
    expect((await api('PUT', '/document', { yaml, base_revision: revision })).status).toBe(200);
    const { body } = await api('GET', '/document');
    const shown = await api('GET', `/revisions/${revision + 1}`);
    expect(JSON.stringify(shown.body)).not.toContain(secret);
    expect(
      gateway
        .sql('SELECT * FROM audit_log')
        .map((row) => JSON.stringify(row, (_, v) => (typeof v === 'bigint' ? String(v) : v)))
        .join(),
    ).not.toContain(secret);
    const renamed = body.yaml.replace('name: Demo small', 'name: Demo smaller');
    expect((await api('PUT', '/document', { yaml: renamed, base_revision: revision + 1 })).status).toBe(200);
    const back = await api('POST', `/revisions/${revision}/return`, { base_revision: revision + 2 });
    expect(back.body).toEqual({ revision: revision + 3, warnings: [] });
    expect((await changesOf(revision + 3)).join()).not.toContain('api_key');
    const { key } = await gateway.register();
    await gateway.chat(key, { model: 'up-free' });
    expect(gateway.upstream.requests.at(-1)?.headers.authorization).toBe(`Bearer ${secret}`);
    expect(await lastAction()).toMatchObject({ action: 'config.return', detail: { to_revision: revision } });
  });

  test('an old secret that does come back is named, and wants to be confirmed', async () => {
    const { revision, document } = await current();
    const channels = document.channels.map((channel) =>
      channel.name === 'up' ? { ...channel, base_url: 'http://127.0.0.1:9/v1', api_key: 'of-another-host' } : channel,
    );
    const yaml = stringify({ ...document, channels });
    expect((await api('PUT', '/document', { yaml, base_revision: revision })).status).toBe(200);
    const back = { base_revision: revision + 1 };
    const asked = await api('POST', `/revisions/${revision}/return`, back);
    expect([asked.status, asked.body.error.code]).toEqual([409, 'document_unconfirmed']);
    expect(asked.body.error.details).toMatchObject({
      warnings: [{ code: 'key_returned', subject: 'up', path: 'channels[1].api_key', revision }],
    });
    const added = { kind: 'added', text: '    api_key: <returned>' };
    expect(asked.body.error.details.diff).toContainEqual(expect.objectContaining(added));
    const done = await api('POST', `/revisions/${revision}/return`, { ...back, confirmed: true });
    expect(done.status).toBe(200);
    expect(await changesOf(revision + 2)).toContain('    api_key: <returned>');
  });

  test('a fault is told by its path; nothing is applied', async () => {
    const { revision, document } = await current();
    const models = document.models.map((model) =>
      model.id === 'up-paid' ? { ...model, price: { input: 0, output: 1 } } : model,
    );
    const answer = await api('PUT', '/document', { yaml: stringify({ ...document, models }), base_revision: revision });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({
      code: 'document_faults',
      details: { faults: [{ path: 'models[3].price.input', message: expect.stringContaining('above 0') }] },
    });
    expect((await current()).revision).toBe(revision);
  });

  test('a stale edit is refused with what changed meanwhile', async () => {
    const { revision, document } = await current();
    const edit = (count: number) =>
      stringify({ ...document, guards: { ...((document as Fields).guards as Fields), register_per_hour: count } });
    expect((await api('PUT', '/document', { yaml: edit(100), base_revision: revision })).status).toBe(200);
    const late = await api('PUT', '/document', { yaml: edit(200), base_revision: revision, confirmed: true });
    expect(late.status).toBe(409);
    expect(late.body.error).toMatchObject({ code: 'document_stale', details: { revision: revision + 1 } });
    expect(late.body.error.details.diff).toContainEqual(
      expect.objectContaining({ kind: 'added', text: '  register_per_hour: 100' }),
    );
    const same = await api('PUT', '/document', { yaml: edit(100), base_revision: revision + 1 });
    expect([same.status, same.body.error.code]).toEqual([409, 'document_unchanged']);
    const { data } = (await api('GET', '/revisions?limit=2')).body;
    expect(data).toMatchObject([
      { revision: revision + 1, is_newest: true },
      { revision, is_newest: false },
    ]);
  });
});

describe('prices', () => {
  test('a price edit prices the next request, and none that is in flight', async () => {
    const { key } = await gateway.register();
    const costOf = async (call: Promise<Response>) => Number((await call).headers.get('x-svc-cost-ntd'));
    const chat = () => gateway.chat(key, { model: 'up-paid', max_tokens: 20 });
    const before = await costOf(chat());
    expect(before).toBe((11 * 10 + 7 * 40.123) / 1e6);
    const gate = Promise.withResolvers<void>();
    const { body = [], ...answer } = chatAnswer();
    const asked = gateway.upstream.requests.length;
    gateway.upstream.next({ ...answer, framing: 'chunked', body: [gate.promise, ...body] });
    const inFlight = chat();
    await eventually('the call is under way', () => gateway.upstream.requests.length > asked);
    const { revision } = await current();
    const edits = [{ model: 'up-paid', sale: { input: '20', cached_input: null, output: 80.246 } }];
    // Cached input costs as input does from now on, 20 times as much: that asks twice.
    expect((await api('PATCH', '/prices', { edits, base_revision: revision })).status).toBe(409);
    expect((await api('PATCH', '/prices', { edits, base_revision: revision, confirmed: true })).status).toBe(200);
    expect(await costOf(chat())).toBe((11 * 20 + 7 * 80.246) / 1e6);
    gate.resolve();
    expect(await costOf(inFlight)).toBe(before);
    expect(await lastAction()).toMatchObject({ action: 'prices.edit', detail: { edits: [{ model: 'up-paid' }] } });
  });

  test('a thousand times the price asks twice', async () => {
    const { revision } = await current();
    const edits = [{ model: 'up-paid', sale: { input: 20_000 } }];
    const asked = await api('PATCH', '/prices', { edits, base_revision: revision });
    expect(asked.status).toBe(409);
    expect(asked.body.error).toMatchObject({
      code: 'document_unconfirmed',
      details: { warnings: [{ code: 'price_jump', subject: 'up-paid', price: 'input', before: '20', after: '20000' }] },
    });
    expect((await current()).revision).toBe(revision);
    expect((await api('PATCH', '/prices', { edits, base_revision: revision, confirmed: true })).status).toBe(200);
    const back = await api('POST', `/revisions/${revision}/return`, { base_revision: revision + 1 });
    expect(back.body.error.code).toBe('document_unconfirmed');
  });

  test('a cost for a channel that the model has no route to is refused, and nothing is noted', async () => {
    const { revision } = (await api('GET', '/prices')).body;
    const before = await lastAction();
    const edits = [{ model: 'up-paid', cost: { channel: 'upp', prices: { input: 1 } } }];
    const refused = await api('PATCH', '/prices', { edits, base_revision: revision, confirmed: true });
    expect([refused.status, refused.body.error.message]).toEqual([404, 'there is no route of up-paid to channel upp']);
    expect(await lastAction()).toEqual(before);
  });

  test('costs stand beside prices, with the margin; a list in US$ becomes edits', async () => {
    const text = 'model,input,output,cached_input\nup-paid,0.1,1.25,\nnobody,1,1,\nclaude-auto,x,1,\n';
    const imported = await api('POST', '/prices/import', { text, rate: '32.5', markup: 20, set_cost: true });
    expect(imported.body).toMatchObject({
      unknown: ['nobody'],
      faults: [{ path: 'line 4.input' }],
      edits: [
        {
          model: 'up-paid',
          sale: { input: '3.9', output: '48.75' },
          cost: { prices: { input: '3.25', output: '40.625' } },
        },
      ],
    });
    const { revision, edits } = imported.body;
    expect((await api('PATCH', '/prices', { edits, base_revision: revision, confirmed: true })).status).toBe(200);
    const { rows } = (await api('GET', '/prices')).body;
    expect(rows.find(({ model }: { model: string }) => model === 'up-paid')).toMatchObject({
      sale: { input: '3.9', output: '48.75', cache_write_5m: '12.5' },
      routes: [{ channel: 'up', cost: { input: '3.25', output: '40.625' }, margin: { input: 0.1666, output: 0.1666 } }],
    });
    expect(await (await gateway.call('/api/public/catalog')).text()).not.toContain('cost');
  });

  test('a price that one side alone lists is held against input of the other', async () => {
    const marginOf = async (edit: object) => {
      const edits = [{ model: 'up-paid', ...edit }];
      const base_revision = (await api('GET', '/prices')).body.revision;
      expect((await api('PATCH', '/prices', { edits, base_revision, confirmed: true })).status).toBe(200);
      const { rows } = (await api('GET', '/prices')).body;
      return rows.find(({ model }: { model: string }) => model === 'up-paid').routes[0].margin;
    };
    const sale = { input: 100, cached_input: 10, cache_write_5m: null, output: 400 };
    const cost = { prices: { input: 90, cached_input: null, output: 330 } };
    expect(await marginOf({ sale, cost })).toEqual({ input: 0.1, cached_input: -8, output: 0.175 });
    const dear = { prices: { cached_input: 9, cache_write_1h: 150 } };
    expect(await marginOf({ cost: dear })).toEqual({
      input: 0.1,
      cached_input: 0.1,
      cache_write_1h: -0.5,
      output: 0.175,
    });
  });
});

describe('channels', () => {
  test('are listed with what they are, and tested by one real call', async () => {
    const { data } = (await api('GET', '/channels')).body;
    expect(data.map(({ name }: { name: string }) => name)).toEqual(['demo', 'up']);
    expect((await api('GET', '/channels/up')).body).toMatchObject({
      kind: 'openai',
      enabled: true,
      api_key: 'stored',
      models: ['up-free', 'up-paid'],
      breakers: [{ model: 'scripted-2026-01', state: 'closed', since: null, why: null }],
    });
    expect(JSON.stringify(data)).not.toContain(UPSTREAM_KEY);
    const tested = await api('POST', '/channels/up/test', { model: 'up-paid' });
    expect(tested.body).toMatchObject({ ok: true, model: 'scripted-2026-01', endpoint: 'chat', detail: 'ok' });
    expect(tested.body.first_byte_ms).toBeWithin(0, tested.body.ms + 1);
    expect(await lastAction()).toMatchObject({ action: 'channels.test', subject: 'up', detail: { ok: true } });
    expect((await api('POST', '/channels/up/test', { model: 'auto:free' })).body.error.code).toBe('no_route');
  });

  test('switched off, they have no route; who loses the last one is told first', async () => {
    const refused = await api('POST', '/channels/up/disable');
    expect(refused.status).toBe(409);
    expect(refused.body.error).toMatchObject({ code: 'last_routes', details: { subjects: ['up-free', 'up-paid'] } });
    const off = await api('POST', '/channels/up/disable', { force: true });
    expect(off.body.models_without_route).toEqual(['up-free', 'up-paid']);
    expect((await api('POST', '/channels/up/disable', {})).body.error.code).toBe('already_done');
    const { key } = await gateway.register();
    expect((await gateway.chat(key, { model: 'up-free' })).status).toBe(503);
    expect((await api('POST', '/channels/up/test')).body.ok).toBe(true);
    expect((await api('POST', '/channels/up/enable')).status).toBe(200);
    expect((await gateway.chat(key, { model: 'up-free' })).status).toBe(200);
    const { data } = (await api('GET', '/actions?action=channels.&subject=catalog&limit=2')).body;
    expect(data).toMatchObject([
      { action: 'channels.enable' },
      { action: 'channels.disable', detail: { channel: 'up' } },
    ]);
  });

  test('taken away, who is left with channels that are off is told, too', async () => {
    const { revision, document } = await current();
    const spare = { ...document.channels.find(({ name }) => name === 'up'), name: 'spare', enabled: false };
    const models = document.models.map((model) =>
      model.id === 'up-paid'
        ? { ...model, routes: [...(model.routes as Fields[]), { channel: 'spare', model: 'scripted-2026-01' }] }
        : model,
    );
    const channels = [...document.channels, { ...spare, api_key: 'env:SPARE' }];
    const yaml = stringify({ ...document, channels, models });
    expect((await api('PUT', '/document', { yaml, base_revision: revision, confirmed: true })).status).toBe(200);
    const refused = await api('DELETE', '/channels/up');
    expect(refused.body.error).toMatchObject({ code: 'last_routes', details: { subjects: ['up-free', 'up-paid'] } });
    const without = stringify(document);
    const back = { yaml: without, base_revision: revision + 1, confirmed: true };
    expect((await api('PUT', '/document', back)).status).toBe(200);
  });

  test('taken away, their routes go with them, and the models that have no other', async () => {
    const refused = await api('DELETE', '/channels/up');
    expect(refused.body.error).toMatchObject({ code: 'last_routes', details: { subjects: ['up-free', 'up-paid'] } });
    expect((await api('DELETE', '/channels/up?force=true')).status).toBe(200);
    const { document } = await current();
    expect(document.models.map(({ id }) => id)).toEqual(['auto:free', 'demo-small']);
    expect(document.channels.map(({ name }) => name)).toEqual(['demo']);
  });
});
