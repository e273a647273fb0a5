// The catalog that tests run on: a free and a paid model on the demo channel, and a free and a paid one on the scripted
// upstream. Registration is wide open, because every test wants an account of its own; the other limits are the real ones.

type Fields = Record<string, unknown>;

export interface TestDocument {
  channels: Fields[];
  models: Fields[];
  limits: Record<string, number>;
  guards: Record<string, number | null>;
}

export const UPSTREAM_KEY = 'fake-upstream-secret-0123456789abcdef';

/** Nano-NT$ per token of `up-paid`, as its prices in the document come out. */
export const UP_PRICES = { input: 10_000n, cached: 1_000n, write: 12_500n, output: 40_123n };
/** The same of `demo-small`. */
export const DEMO_PRICES = { input: 8_125n, output: 65_000n };

export function testDocument(baseUrl: string): TestDocument {
  return {
    channels: [{ name: 'demo', kind: 'demo' }, openaiChannel('up', baseUrl)],
    models: [
      {
        id: 'auto:free',
        name: 'Auto (free)',
        aliases: ['claude-auto'],
        max_output_tokens: 4_096,
        price: 'free',
        routes: [{ channel: 'demo', model: 'demo' }],
      },
      {
        id: 'demo-small',
        name: 'Demo small',
        max_output_tokens: 1_000,
        price: { input: 8.125, cached_input: 0.813, output: 65 },
        routes: [{ channel: 'demo', model: 'demo' }],
      },
      upModel('up-free', { price: 'free' }),
      upModel('up-paid', {
        aliases: ['claude-up-paid'],
        price: { input: 10, cached_input: 1, cache_write_5m: 12.5, output: 40.123 },
      }),
    ],
    limits: { register_per_ip: 10_000, register_per_day: 10_000 },
    // Every test wants accounts of its own, from one address.
    guards: { register_attempts_per_minute: null },
  };
}

/** Where the scripted upstream of such a document listens. */
export function upstreamUrl({ channels }: Pick<TestDocument, 'channels'>): string {
  return String(channels.find(({ name }) => name === 'up')?.base_url);
}

export function openaiChannel(name: string, baseUrl: string, rest: Fields = {}): Fields {
  return { name, kind: 'openai', base_url: baseUrl, api_key: UPSTREAM_KEY, ...rest };
}

export function upModel(id: string, rest: Fields): Fields {
  return {
    id,
    context_tokens: 128_000,
    max_output_tokens: 1_000,
    routes: [{ channel: 'up', model: 'scripted-2026-01' }],
    ...rest,
  };
}

/** With the model `up-drained`, on a channel that is read to its end when the client leaves. */
export function withDrainedModel(standard: TestDocument): TestDocument {
  const baseUrl = upstreamUrl(standard);
  return {
    ...standard,
    channels: [...standard.channels, openaiChannel('read-on', baseUrl, { drain_on_abort: true })],
    models: [
      ...standard.models,
      upModel('up-drained', {
        price: { input: 10, output: 40.123 },
        routes: [{ channel: 'read-on', model: 'scripted-2026-01' }],
      }),
    ],
  };
}
