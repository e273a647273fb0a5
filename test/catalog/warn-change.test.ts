// What is valid and still may be a slip of the hand.

import { expect, test } from 'bun:test';
import { readDocument } from '../../src/catalog/read-document.ts';
import { findWarnings } from '../../src/catalog/warn-change.ts';
import { testDocument } from '../support/test-document.ts';

type Edit = (standard: ReturnType<typeof testDocument>) => unknown;

function documentOf(edit: Edit) {
  const read = readDocument(JSON.stringify(edit(testDocument('http://127.0.0.1:9'))));
  if (!read.ok) throw new Error(JSON.stringify(read.faults));
  return read.document;
}

const priced =
  (price: unknown): Edit =>
  (standard) => ({
    ...standard,
    models: standard.models.map((model) => (model.id === 'up-paid' ? { ...model, price } : model)),
  });
const NOW = Date.UTC(2026, 10, 18);
const traffic = [{ day: 1, channel: 'up', model: 'up-free', ok: 40, failed: 2 }];
const warnings = (edit: Edit) =>
  findWarnings(
    documentOf((standard) => standard),
    documentOf(edit),
    traffic,
    NOW,
  ).map(({ message: _, ...rest }) => rest);

test.each([
  ['the same', { input: 10, cached_input: 1, output: 40.123 }, []],
  ['less than ten times', { input: 99.999, cached_input: 1, output: 40.123 }, []],
  ['ten times', { input: 100, cached_input: 1, output: 40.123 }, [{ price: 'input', before: '10', after: '100' }]],
  ['a tenth', { input: 10, cached_input: 1, output: 4.012 }, [{ price: 'output', before: '40.123', after: '4.012' }]],
  ['taken out', { input: 10, output: 40.123 }, [{ price: 'cached_input', before: '1', after: '10' }]],
])('a price that is %s', (_, price, jumps) => {
  expect(warnings(priced(price))).toMatchObject(
    jumps.map((jump) => ({ code: 'price_jump', path: `models[3].price.${jump.price}`, subject: 'up-paid', ...jump })),
  );
});

test('a price of a tier or of a tool that jumps', () => {
  const withRules = (input: number, search: number) =>
    documentOf(
      priced({
        ...{ input: 10, cached_input: 1, output: 40.123 },
        tiers: [{ above_input_tokens: 99, input }],
        tools: { web_search: search },
      }),
    );
  const jumps = (after: ReturnType<typeof documentOf>) => findWarnings(withRules(20, 0.3), after, [], NOW);
  expect(jumps(withRules(199, 2.9))).toEqual([]);
  expect(jumps(withRules(200, 0.03))).toMatchObject([
    { code: 'price_jump', path: 'models[3].price.tiers[0].input', price: 'input', before: '20', after: '200' },
    { code: 'price_jump', path: 'models[3].price.tools.web_search', price: 'web_search', before: '0.3', after: '0.03' },
  ]);
});

test('what costs money becomes free, and the other way round', () => {
  expect(warnings(priced('free'))).toMatchObject([{ code: 'became_free', subject: 'up-paid' }]);
  const paid: Edit = (standard) => ({
    ...standard,
    models: standard.models.map((model) =>
      model.id === 'up-free' ? { ...model, price: { input: 1, output: 1 } } : model,
    ),
  });
  expect(warnings(paid)).toMatchObject([{ code: 'became_paid', subject: 'up-free' }]);
});

test('a channel that is switched off takes the last route of its models', () => {
  const off: Edit = (standard) => ({
    ...standard,
    channels: standard.channels.map((channel) => (channel.name === 'up' ? { ...channel, enabled: false } : channel)),
  });
  expect(warnings(off)).toMatchObject([
    { code: 'last_route_lost', path: 'models[2].routes', subject: 'up-free' },
    { code: 'last_route_lost', path: 'models[3].routes', subject: 'up-paid' },
  ]);
});

test('what is removed tells how much it was used; what only gets another id and keeps the old as alias does not', () => {
  const removed: Edit = (standard) => ({
    ...standard,
    channels: standard.channels.filter(({ name }) => name !== 'up'),
    models: standard.models.filter(({ id }) => !String(id).startsWith('up-')),
  });
  expect(warnings(removed)).toMatchObject([
    { code: 'model_removed', path: 'models[2]', subject: 'up-free', requests: 42 },
    { code: 'model_removed', path: 'models[3]', subject: 'up-paid', requests: 0 },
    { code: 'channel_removed', path: 'channels[1]', subject: 'up', requests: 42 },
  ]);
  const renamed: Edit = (standard) => ({
    ...standard,
    models: standard.models.map((model) =>
      model.id === 'up-free' ? { ...model, id: 'up-new', aliases: ['up-free'] } : model,
    ),
  });
  expect(warnings(renamed)).toEqual([]);
});

const guarded =
  (guards: unknown): Edit =>
  (standard) => ({ ...standard, guards });
const between = (before: unknown, after: unknown) =>
  findWarnings(documentOf(guarded(before)), documentOf(guarded(after)), [], NOW);
const usage = { code: 'usage_shortened' as const, path: 'guards.usage_months', subject: 'usage_months' };
const suspension = {
  code: 'suspension_shortened' as const,
  path: 'guards.suspend_unused_days',
  subject: 'suspend_unused_days',
};

test.each([
  ['fewer months', { usage_months: 24 }, { usage_months: 23 }, { before: '24', after: '23' }],
  ['months instead of for ever', { usage_months: null }, { usage_months: 1_200 }, { after: '1200' }],
  ['the default instead of for ever', { usage_months: null }, {}, { after: '24' }],
])('usage that is kept for %s is told: it does not come back', (_, before, after, told) => {
  expect(between(before, after)).toEqual([{ ...usage, ...told, message: expect.stringContaining('is deleted') }]);
  expect(between(after, before)).toEqual([]);
  expect(between(after, after)).toEqual([]);
});

test.each([
  ['set', {}, { suspend_unused_days: 90 }, { after: '90' }],
  ['shorter', { suspend_unused_days: 90 }, { suspend_unused_days: 1 }, { before: '90', after: '1' }],
])('the time after which unused keys are revoked is told when it is %s', (_, before, after, told) => {
  expect(between(before, after)).toEqual([{ ...suspension, ...told, message: expect.stringContaining('are revoked') }]);
  expect(between(after, before)).toEqual([]);
});

test('a price that jumps with another id asks twice, too', () => {
  const renamed: Edit = (standard) => ({
    ...standard,
    models: standard.models.map((model) =>
      model.id === 'up-paid'
        ? { ...model, id: 'up-new', aliases: ['up-paid'], price: { ...(model.price as object), input: 10_000 } }
        : model,
    ),
  });
  expect(warnings(renamed)).toMatchObject([{ code: 'price_jump', subject: 'up-new', price: 'input', before: '10' }]);
});

test('a scheduled price is compared with the one before it, and only while it is new', () => {
  const change = (input: number) => ({ effective_at: '2027-01-01', input });
  const scheduled = (...inputs: number[]) =>
    priced({ input: 10, cached_input: 1, output: 40.123, changes: inputs.map(change) });
  expect(warnings(scheduled(99))).toEqual([]);
  const jump = { code: 'price_jump', path: 'models[3].price.changes[0].input', before: '10', after: '100' };
  expect(warnings(scheduled(100))).toMatchObject([jump]);
  expect(findWarnings(documentOf(scheduled(100)), documentOf(scheduled(100)), [], NOW)).toEqual([]);
});

test('prices are compared as they are now', () => {
  const changes = [{ effective_at: '2026-11-01', input: 200 }];
  const before = documentOf(priced({ input: 10, output: 40.123, changes }));
  expect(findWarnings(before, documentOf(priced({ input: 200, output: 40.123 })), [], NOW)).toEqual([]);
});
