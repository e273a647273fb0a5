// One gateway with a model of its own for every way in which the cases want an upstream to be: kind, name, peculiarities.

import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../support/gateway.ts';
import { upstreamUrl } from '../support/test-document.ts';
import { UPSTREAMS, type UpstreamName } from './sides.ts';
import type { CaseOfPair, Way } from './translation-case.ts';

export interface TranslationGateway {
  gateway: TestGateway;
  key: string;
  modelOf(one: CaseOfPair, way?: Way): string;
  stop(): Promise<void>;
}

interface Place {
  id: string;
  upstream: UpstreamName;
  one: CaseOfPair;
}

/** Next to nothing, so that a trial credit lasts for all cases. */
const PRICE = { input: 0.001, output: 0.001 };

export async function startTranslationGateway(
  cases: readonly CaseOfPair[],
  options: Pick<TestGatewayOptions, 'clock' | 'fetch'> = {},
): Promise<TranslationGateway> {
  const places = new Map<string, Place>();
  for (const one of cases) {
    for (const way of ['whole', 'stream'] as const) {
      const key = keyOf(one, way);
      if (!places.has(key)) places.set(key, { id: `on-${one.upstream}-${places.size}`, upstream: one.upstream, one });
    }
  }
  const gateway = await startTestGateway({
    ...options,
    limits: { paid_per_minute: 1_000_000, in_flight: 10_000 },
    document: (standard) => {
      const base = upstreamUrl(standard).replace(/\/v1$/, '');
      return {
        ...standard,
        channels: [...standard.channels, ...[...places.values()].map((place) => channelAt(place, base))],
        models: [...standard.models, ...[...places.values()].map(modelAt)],
      };
    },
  });
  const { key } = await gateway.register();
  return {
    gateway,
    key,
    modelOf(one, way = 'whole') {
      const place = places.get(keyOf(one, way));
      if (!place) throw new Error(`no model for ${one.case.name}`);
      return place.id;
    },
    stop: () => gateway.stop(),
  };
}

/** An upstream that fails has a channel of its own each time, so that its breaker is nobody else's. */
function keyOf({ case: one, client, upstream }: CaseOfPair, way: Way): string {
  const { model, quirks, prefill, catalog, reply } = one;
  const fails = reply?.[upstream]?.status !== undefined ? [one.name, client, way] : undefined;
  return JSON.stringify([upstream, model, quirks, prefill, catalog, fails]);
}

function channelAt({ id, upstream, one }: Place, base: string): Record<string, unknown> {
  const { quirks, prefill } = one.case;
  const hasQuirks = upstream === 'openai' || upstream === 'openai-responses';
  return UPSTREAMS[upstream].channel(id, base, {
    ...(quirks === undefined || !hasQuirks ? {} : { quirks }),
    ...(prefill === undefined ? {} : { prefill }),
  });
}

function modelAt({ id, upstream, one }: Place): Record<string, unknown> {
  const { model = UPSTREAMS[upstream].model, catalog } = one.case;
  return {
    id,
    context_tokens: 1_000_000,
    max_output_tokens: 64_000,
    price: PRICE,
    routes: [{ channel: id, model }],
    ...catalog,
  };
}
