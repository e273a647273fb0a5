// A client that leaves in the middle of a translated stream: what was delivered is paid. The upstream is left at once, or
// after READ_TO_END_MS where it may have reasoned unseen and only its report says how much.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eventually } from '../support/eventually.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { createReadOnClock, READ_TO_END_MS } from '../support/read-on-clock.ts';
import { CLIENTS, type ClientName, PAIRS, replyScript, requestOf, UPSTREAMS, type UpstreamName } from './sides.ts';
import type { CaseOfPair } from './translation-case.ts';
import { startTranslationGateway, type TranslationGateway } from './translation-gateway.ts';

const asCase = (client: ClientName, upstream: UpstreamName): CaseOfPair => ({
  case: { name: 'hang-up', catalog: { price: { input: 10, output: 40 } } },
  client,
  upstream,
});

const { clock, timers } = createReadOnClock(createManualClock());

let setting: TranslationGateway;
beforeAll(async () => {
  setting = await startTranslationGateway(
    PAIRS.map(([client, upstream]) => asCase(client, upstream)),
    { clock },
  );
});
afterAll(() => setting.stop());

/** The models of these upstreams think unless the request turns it off. */
const mayThinkUnseen = (upstream: UpstreamName) => upstream === 'gemini' || upstream === 'anthropic';

const NEVER = new Promise<never>(() => {});

/** The frames up to the one that holds this text, and then silence. */
function stalledAfter(upstream: UpstreamName, text: string) {
  const script = replyScript(upstream, UPSTREAMS[upstream].says({ text: ['Alpha', ' beta', ' gamma'] }), true);
  const frames = (script.body ?? []).map(String);
  const at = frames.findIndex((frame) => frame.includes(text));
  return { ...script, body: [...frames.slice(0, at + 1), NEVER] };
}

async function open(client: ClientName, upstream: UpstreamName, key: string, signal: AbortSignal) {
  const fields = CLIENTS[client].body({ model: setting.modelOf(asCase(client, upstream)), stream: true });
  const { path, body } = requestOf(client, fields);
  return setting.gateway.call(path, { key, body, signal });
}

async function recordOf(key: string) {
  return eventually('the usage record', async () => (await setting.gateway.get('/api/usage', key)).data[0]);
}

describe.each(PAIRS.map(([client, upstream]) => ({ client, upstream })))(
  '$client to $upstream',
  ({ client, upstream }) => {
    test('after some words: they are paid by our own count', async () => {
      const { gateway } = setting;
      const { key } = await gateway.register();
      gateway.upstream.reset();
      gateway.upstream.otherwise(stalledAfter(upstream, ' beta'));
      const leaving = new AbortController();
      const response = await open(client, upstream, key, leaving.signal);
      let text = '';
      for await (const bytes of response.body ?? []) {
        text += new TextDecoder().decode(bytes);
        if (text.includes(' beta')) break;
      }
      const timersBefore = timers();
      leaving.abort();
      if (mayThinkUnseen(upstream)) {
        await eventually('reading on', () => timers() > timersBefore);
        await clock.advance(READ_TO_END_MS);
      }
      const record = await recordOf(key);
      expect(record).toMatchObject({ status: 'client_gone', estimated: true, reasoning_tokens: 0 });
      expect(record.output_tokens).toBeGreaterThan(0);
      expect(record.output_tokens).toBeLessThan(6);
      const cost = BigInt(record.input_tokens) * 10_000n + BigInt(record.output_tokens) * 40_000n;
      expect(record.cost_nano).toBe(cost.toString());
      const seen = await gateway.upstream.request(0);
      await eventually('the upstream to be left', () => seen.abortedAt !== undefined);
      expect((await gateway.get('/api/me', key)).held_nano).toBe('0');
    });

    test('before the first word: nothing is paid', async () => {
      const { gateway } = setting;
      const { key } = await gateway.register();
      gateway.upstream.reset();
      gateway.upstream.otherwise({
        headers: { 'content-type': 'text/event-stream' },
        framing: 'chunked',
        body: [NEVER],
      });
      const leaving = new AbortController();
      const response = open(client, upstream, key, leaving.signal).catch(() => undefined);
      const seen = await gateway.upstream.request(0);
      leaving.abort();
      await response;
      expect(await recordOf(key)).toMatchObject({ status: 'client_gone', cost_nano: '0' });
      await eventually('the upstream to be left', () => seen.abortedAt !== undefined);
    });
  },
);
