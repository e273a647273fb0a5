// What only the whole document shows: names that meet nothing or two things, free and paid that mix.
import { describe, expect, test } from 'bun:test';
import { faultPaths, faultsOf, plainDocument, ROUTE, withModel } from '../support/plain-document.ts';

const PRICE = { input: 1, output: 2 };

describe('names are unique', () => {
  test('among channels', () => {
    const document = plainDocument();
    document.channels.push({ name: 'demo', kind: 'demo' });
    expect(faultsOf(JSON.stringify(document))).toEqual(['channels[2].name: "demo" is used twice']);
  });

  test.each([
    ['the id of another model', { id: 'paid', price: PRICE }, 'models[2].id'],
    ['an alias that is an id', { price: PRICE, aliases: ['x', 'paid'] }, 'models[2].aliases[1]'],
    ['an alias that is its own id', { price: PRICE, aliases: ['extra'] }, 'models[2].aliases[0]'],
    ['an alias given twice', { price: PRICE, aliases: ['x', 'x'] }, 'models[2].aliases[1]'],
  ])('among models: %s', (_, model, path) => {
    expect(faultPaths(withModel(model))).toEqual([path]);
  });

  test('an id that an earlier model has as alias', () => {
    const document = plainDocument();
    document.models[0] = { ...document.models[0], aliases: ['paid'] };
    expect(faultsOf(JSON.stringify(document))).toEqual(['models[1].id: "paid" already names a model']);
  });
});

describe('references meet something', () => {
  test('a route names a channel', () => {
    const routes = [ROUTE, { channel: 'gone', model: 'x' }];
    expect(faultsOf(withModel({ price: 'free', routes }))).toEqual([
      'models[2].routes[1].channel: there is no channel "gone"',
    ]);
  });

  test('a fallback names a model, by its id', () => {
    expect(faultsOf(withModel({ price: PRICE, fallbacks: ['paid', 'gone'] }))).toEqual([
      'models[2].fallbacks[1]: there is no model "gone"',
    ]);
  });

  test('a fallback may come later in the list', () => {
    const document = plainDocument();
    document.models[1] = { ...document.models[1], fallbacks: ['later'] };
    document.models.push({ id: 'later', price: PRICE, routes: [ROUTE] });
    expect(faultsOf(JSON.stringify(document))).toEqual([]);
  });

  test('a model is not its own fallback', () => {
    expect(faultPaths(withModel({ price: PRICE, fallbacks: ['extra'] }))).toEqual(['models[2].fallbacks[0]']);
  });

  test('a channel that is no demo needs a base URL', () => {
    const document = plainDocument();
    document.channels[1] = { name: 'up', kind: 'openai' };
    expect(faultPaths(JSON.stringify(document))).toEqual(['channels[1].base_url']);
  });
});

describe('free and paid do not mix', () => {
  test('a free model falls back to free ones only', () => {
    expect(faultPaths(withModel({ price: 'free', fallbacks: ['auto:free', 'paid'] }))).toEqual([
      'models[2].fallbacks[1]',
    ]);
  });

  test('a paid model falls back to paid ones only', () => {
    expect(faultPaths(withModel({ price: PRICE, fallbacks: ['paid', 'auto:free'] }))).toEqual([
      'models[2].fallbacks[1]',
    ]);
  });

  test('auto:free is free', () => {
    const document = plainDocument();
    document.models[0] = { id: 'auto:free', price: PRICE, routes: [ROUTE] };
    expect(faultPaths(JSON.stringify(document))).toEqual(['models[0].price']);
  });
});

describe('a paid model has the prices of its kinds', () => {
  test.each([
    [{ price: {} }, ['models[2].price.input', 'models[2].price.output']],
    [{ price: { input: 1 } }, ['models[2].price.output']],
    [{ price: { output: 1 } }, ['models[2].price.input']],
    [{ kinds: ['embeddings'], price: { output: 1 } }, ['models[2].price.input']],
    [{ kinds: ['embeddings'], price: { input: 1 } }, []],
    [{ kinds: ['images'], price: { input: 1 } }, ['models[2].price.image']],
    [{ kinds: ['images'], price: { image: 1 } }, []],
    [{ kinds: ['images'], price: PRICE }, []],
    [{ kinds: ['speech'], price: { input: 1 } }, ['models[2].price.character']],
    [{ kinds: ['speech'], price: { character: 1 } }, []],
    [{ kinds: ['speech'], price: PRICE }, []],
    [{ kinds: ['transcription'], price: { input: 1 } }, ['models[2].price.second']],
    [{ kinds: ['transcription'], price: { second: 1 } }, []],
    [{ kinds: ['rerank'], price: {} }, ['models[2].price.search']],
    [{ kinds: ['rerank'], price: { search: 1 } }, []],
    [{ kinds: ['rerank'], price: { input: 1 } }, []],
    [{ kinds: ['moderation'], price: {} }, ['models[2].price.input']],
    [{ kinds: ['chat', 'images'], price: { image: 1 } }, ['models[2].price.input', 'models[2].price.output']],
  ])('%j', (model, paths) => expect(faultPaths(withModel(model))).toEqual(paths));
});

test('faults of shape and of reference are told together, all of them', () => {
  const text = `
channels:
  - {name: Bad Name, kind: demo}
  - {name: up, kind: openai}
  - {name: up, kind: openai, base_url: http://upstream.test, surprise: 1}
models:
  - id: NOT AN ID
    price: {input: 0, output: .nan}
    routes: [{channel: nowhere, model: m, priority: -1}]
  - id: one
    price: free
    fallbacks: [two, three]
    routes: [{channel: up, model: m}]
  - {id: two, price: {input: 1}, routes: []}
  - {id: two, price: free, routes: [{channel: up, model: m}]}
limits: {free_per_minute: many}
extra: true
`;
  expect(faultPaths(text).toSorted()).toEqual(
    [
      'channels[0].name',
      'channels[1].base_url',
      'channels[2].name',
      'channels[2].surprise',
      'models[0].id',
      'models[0].price.input',
      'models[0].price.output',
      'models[0].routes[0].channel',
      'models[0].routes[0].priority',
      'models[1].fallbacks[0]',
      'models[1].fallbacks[1]',
      'models[2].price.output',
      'models[2].routes',
      'models[3].id',
      'limits.free_per_minute',
      'extra',
    ].toSorted(),
  );
});
