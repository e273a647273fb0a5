// What lies in ops/ fits what the gateway says of itself: every metric and label that a rule, a panel or the docs name is
// there, and every expression is PromQL.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Clock, MINUTE_MS, systemClock } from '../../src/kit/clock.ts';
import { runTask, type Task } from '../../src/kit/timer-lists.ts';
import type { Answer } from '../support/answer.ts';
import { abandonCall } from '../support/close-call.ts';
import { eventually } from '../support/eventually.ts';
import { NO_JITTER, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { chatStream, jsonScript } from '../support/openai-chat.ts';
import { operatorOf } from '../support/operator.ts';
import type { Scrape } from '../support/prometheus.ts';
import { openaiChannel, upModel, upstreamUrl } from '../support/test-document.ts';
import { readPromql } from './promql.ts';

const read = (path: string) => readFileSync(join(import.meta.dir, '..', '..', path), 'utf8');

/** Prometheus adds these to whatever it scrapes. */
const ADDED_LABELS = ['job', 'instance'];

/** What jobs do a minute after the start waits for the test. */
const held: Task[] = [];
let isStarting = true;
const clock: Clock = {
  ...systemClock,
  after(ms, task) {
    if (ms !== MINUTE_MS || !isStarting) return systemClock.after(ms, task);
    held.push(task);
    return () => {};
  },
};
const BALANCE = { is_available: true, balance_infos: [{ currency: 'CNY', total_balance: '110.00' }] };

let gateway: TestGateway;
let scrape: Scrape;
/** Labels by the name of a series. */
let labels: Map<string, Set<string>>;
beforeAll(async () => {
  gateway = await startTestGateway({
    clock,
    random: NO_JITTER,
    document: (doc) => ({
      ...doc,
      channels: [...doc.channels, openaiChannel('deep', upstreamUrl(doc), { quirks: 'deepseek' })],
      models: [
        ...doc.models,
        upModel('paint', {
          kinds: ['images'],
          price: { image: 0.1 },
          routes: [{ channel: 'up', model: 'paint', cost: { image: 0.05 } }],
        }),
        upModel('rank', { kinds: ['rerank'], price: { search: 65 } }),
      ],
    }),
  });
  gateway.upstream.otherwise(({ path }) => (path === '/user/balance' ? jsonScript(200, BALANCE) : { status: 404 }));
  isStarting = false;
  for (const task of held) runTask(task);
  const { key, accountId, keyId } = await gateway.register();
  await eventually('the credit at a vendor is known', async () => {
    scrape = await operatorOf(gateway).scrape();
    return scrape.sum('gateway_upstream_balance') === 110;
  });
  gateway.upstream.next(chatStream(), jsonScript(200, { created: 1, data: [{ b64_json: 'AAAA' }] }));
  await (await gateway.chat(key, { model: 'up-paid', stream: true, max_tokens: 20 })).text();
  const image = await gateway.call('/v1/images/generations', { key, body: { model: 'paint', prompt: 'a cat' } });
  expect(image.status).toBe(200);
  await image.text();
  gateway.upstream.next(jsonScript(200, { results: [{ index: 0, relevance_score: 0.5 }] }));
  const ranking = { model: 'rank', query: 'a', documents: ['b'] };
  expect((await gateway.call('/v1/rerank', { key, body: ranking })).status).toBe(200);
  await (await gateway.chat('sk-wrong', { model: 'up-paid' })).text();
  await abandonCall(gateway.gateway.store, { accountId, keyId }, 1_000n);
  await eventually('the loss of a call whose node died is counted', async () => {
    scrape = await operatorOf(gateway).scrape();
    return scrape.sum('gateway_losses_ntd_total') > 0;
  });
  labels = new Map();
  for (const [, name = '', text = ''] of scrape.text.matchAll(/^([a-z_]+)(?:\{(.*)\})? /gm)) {
    const names = [...text.matchAll(/(\w+)="/g)].map(([, label = '']) => label);
    labels.set(name, new Set([...names, ...ADDED_LABELS]));
  }
  labels.set('up', new Set(ADDED_LABELS));
});
afterAll(() => gateway.stop());

function check(expression: string): void {
  const { selected, grouping } = readPromql(expression);
  expect(selected.length).toBeGreaterThan(0);
  const ofAll = new Set<string>();
  for (const { metric, labels: named } of selected) {
    const known = labels.get(metric);
    expect([metric, known !== undefined]).toEqual([metric, true]);
    for (const label of named) expect([metric, label, known?.has(label)]).toEqual([metric, label, true]);
    for (const label of known ?? []) ofAll.add(label);
  }
  for (const label of grouping) expect([expression, label, ofAll.has(label)]).toEqual([expression, label, true]);
}

test('the check finds a metric, a label, a grouping and a syntax that are not there', () => {
  for (const bad of [
    'gateway_none_total',
    'gateway_requests_total{colour="red"}',
    'sum by (colour) (rate(gateway_requests_total[5m]))',
    'sum by (model (gateway_requests_total)',
    'gateway_first_token_seconds',
  ]) {
    expect(() => check(bad)).toThrow();
  }
  check('sum by (model) (rate(gateway_requests_total{outcome!="ok"}[5m])) > 0');
});

describe('alert rules', () => {
  const { groups }: Answer = parse(read('ops/alerts.yaml'));
  const rules: Answer[] = groups.flatMap((group: Answer) => group.rules);

  test.each(rules.map((rule) => [rule.alert, rule] as const))('%s', (name, rule) => {
    expect(Object.keys(rule).filter((key) => !['alert', 'expr', 'for', 'labels', 'annotations'].includes(key))).toEqual(
      [],
    );
    expect(name).toMatch(/^Gateway[A-Za-z]+$/);
    expect(['page', 'ticket']).toContain(rule.labels.severity);
    expect(rule.for ?? '0s').toMatch(/^\d+[sm]$/);
    expect(Object.keys(rule.annotations)).toEqual(['summary', 'description']);
    check(rule.expr);
    // A template that names a label needs an expression that keeps it.
    const { grouping, selected } = readPromql(rule.expr);
    const kept = grouping.length > 0 ? new Set(grouping) : labels.get(selected[0]?.metric ?? '');
    for (const [, label = ''] of JSON.stringify(rule.annotations).matchAll(/\$labels\.(\w+)/g)) {
      expect([label, kept?.has(label)]).toEqual([label, true]);
    }
  });

  test('have names of their own, and the docs know each', () => {
    const names = rules.map(({ alert }) => alert);
    expect(new Set(names).size).toBe(names.length);
    const docs = read('docs/operating.md');
    expect(names.filter((name) => !docs.includes(`\`${name}\``))).toEqual([]);
    const told = [...docs.matchAll(/`(Gateway[A-Z][A-Za-z]+)`/g)].map(([, name]) => name);
    expect(told.filter((name) => !names.includes(name))).toEqual([]);
  });
});

describe('the dashboard', () => {
  const dashboard: Answer = JSON.parse(read('ops/grafana-dashboard.json'));
  const panels: Answer[] = dashboard.panels;

  test.each(panels.filter(({ type }) => type !== 'row').map((panel) => [panel.title, panel] as const))(
    'panel %s',
    (_, panel) => {
      expect(panel.targets.length).toBeGreaterThan(0);
      for (const { expr } of panel.targets) check(expr);
    },
  );

  test('has ids of their own, and no panel lies upon another', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const taken = new Set<string>();
    for (const { gridPos } of panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken.has(`${x} ${y}`)).toBe(false);
          taken.add(`${x} ${y}`);
        }
      }
    }
  });

  test('its variables and notes name what is there', () => {
    for (const { definition } of dashboard.templating.list.slice(1)) {
      const [, metric = '', label = ''] = /^label_values\((\w+), (\w+)\)$/.exec(definition) ?? [];
      expect([definition, labels.get(metric)?.has(label)]).toEqual([definition, true]);
    }
    for (const { expr } of dashboard.annotations.list) check(expr);
  });

  test('shows every metric there is', () => {
    const text = read('ops/grafana-dashboard.json');
    expect([...scrape.names].filter((name) => !text.includes(name))).toEqual([]);
  });
});

test('the scrape config asks the right port with a token', () => {
  const config: Answer = parse(read('ops/prometheus.yaml'));
  expect(config.rule_files).toEqual(['alerts.yaml']);
  expect(config.scrape_configs).toMatchObject([
    {
      job_name: 'ai-gateway',
      metrics_path: '/metrics',
      authorization: { type: 'Bearer', credentials_file: expect.any(String) },
      static_configs: [{ targets: ['127.0.0.1:8788'] }],
    },
  ]);
});

test('the docs list every metric, and none that is not there', () => {
  // Events of the log, in another section, may be named alike.
  const [, section = ''] = read('docs/operating.md').split('\n## Metrics\n');
  const [docs = ''] = section.split('\n## ');
  const told = new Set([...docs.matchAll(/`((?:gateway|process)_[a-z_]+)`/g)].map(([, name = '']) => name));
  expect([...scrape.names].filter((name) => !told.has(name))).toEqual([]);
  expect([...told].filter((name) => !scrape.names.has(name))).toEqual([]);
});
