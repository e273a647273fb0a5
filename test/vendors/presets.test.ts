// Vendors are data: each preset makes a channel that serves calls, and each figure of its models has a source.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { presetChannel, VENDOR_PRESETS } from '../../src/vendors/presets.ts';
import type { Answer } from '../support/answer.ts';
import { type ClientGateway, startClientGateway } from '../support/client-gateway.ts';
import { UPSTREAM_KEY, upstreamUrl } from '../support/test-document.ts';

/** Platforms sign requests or need a token first: their own tests call them. */
const CALLED = VENDOR_PRESETS.filter(({ kind }) => ['openai', 'anthropic', 'gemini'].includes(kind));
const idOf = (preset: string) => `at-${preset}`;

let gateway: ClientGateway;
beforeAll(async () => {
  gateway = await startClientGateway({
    document: (standard) => {
      const { origin } = new URL(upstreamUrl(standard));
      return {
        ...standard,
        channels: [
          ...standard.channels,
          ...CALLED.map((preset) => {
            const { pathname } = new URL(preset.baseUrl ?? preset.addressExample ?? '');
            const baseUrl = origin + pathname.replace(/\/$/, '');
            return presetChannel(preset, { name: idOf(preset.id), baseUrl, apiKey: UPSTREAM_KEY });
          }),
        ],
        models: [
          ...standard.models,
          ...CALLED.map(({ id }) => ({
            id: idOf(id),
            price: { input: 1, output: 1 },
            routes: [{ channel: idOf(id), model: 'scripted-2026-01' }],
          })),
        ],
      };
    },
  });
  gateway.answer(() => ({ pieces: ['Hello'] }));
});
afterAll(() => gateway.stop());

test.each(CALLED.map(({ id }) => id))('a channel of the preset %s serves a chat', async (id) => {
  const response = await gateway.chat(gateway.key, { model: idOf(id) });
  const answer = (await response.json()) as Answer;
  expect(response.status, JSON.stringify(answer)).toBe(200);
  expect(answer.choices[0].message.content).toBe('Hello');
});

const MODELS = VENDOR_PRESETS.flatMap(({ id, models = [] }) => models.map((model) => ({ preset: id, ...model })));

test.each(MODELS)('$preset: $id has plausible figures', ({ usd, contextTokens, maxOutputTokens = 1 }) => {
  expect(usd.input).toBeGreaterThan(0);
  expect(usd.output).toBeGreaterThanOrEqual(usd.input);
  expect(usd.cached_input ?? 0).toBeLessThan(usd.input);
  expect(contextTokens).toBeGreaterThan(maxOutputTokens);
});

// The one model of OpenRouter is older than the lists of sources.
test.each(MODELS.filter(({ preset }) => preset !== 'openrouter'))('$preset: $id has a source', ({ sources }) => {
  expect(sources.length).toBeGreaterThan(0);
  for (const source of sources) expect(source).toStartWith('https://');
});
