// A refusal whose status speaks of our key or of a route, though the request itself is at fault: the client is told so, and
// however often it comes nothing is said of the channel, which stays open for everybody else.

import { expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import type { TestAccount, TestGateway } from '../support/gateway.ts';
import { chatAnswer, errorScript, jsonScript } from '../support/openai-chat.ts';
import type { Script } from '../support/script.ts';
import { type ChannelSet, useTwoChannels } from '../support/two-channels.ts';
import type { ScriptedUpstream } from '../support/upstream.ts';

const ALARMS = ['upstream_refused_our_key', 'upstream_route_missing'];

let second: ScriptedUpstream;
let gateway: TestGateway;
let account: TestAccount;
let set: ChannelSet;
useTwoChannels((inUse) => {
  ({ second, gateway, account, set } = inUse);
});

const alarms = () => ALARMS.flatMap((name) => gateway.log.alarms(name));

/** Somebody else's call on the same channel. */
async function expectOpen(): Promise<void> {
  gateway.upstream.reset();
  gateway.upstream.next(chatAnswer());
  const other = await gateway.register();
  expect((await gateway.chat(other.key, { model: set.alone })).status).toBe(200);
}

const flaggedBy = (metadata: Record<string, unknown>, message = 'No.') =>
  errorScript(403, { code: 403, message, metadata });
const XAI = {
  code: 'The caller does not have permission to execute the specified operation',
  error: 'Content violates usage guidelines. Team: t, Model: grok-4, Failed check: SAFETY_CHECK_TYPE_BIO',
};

const flagged: [what: string, script: Script][] = [
  ['OpenRouter, with reasons', flaggedBy({ reasons: ['violence'], provider_name: 'x', model_slug: 'm' })],
  ['OpenRouter, with the words', flaggedBy({ flagged_input: 'so…so' })],
  ['xAI', jsonScript(403, XAI)],
  ['xAI behind OpenRouter', flaggedBy({ raw: JSON.stringify(XAI), provider_name: 'xAI' })],
];
test.each(flagged)('403 for flagged content: %s', async (_, script) => {
  const before = alarms().length;
  for (const stream of [false, true]) {
    gateway.upstream.next(script);
    const response = await gateway.chat(account.key, { model: set.both, stream });
    expect(response.status).toBe(400);
    const { error }: Answer = await response.json();
    expect(error.code).toBe('content_rejected');
    expect(JSON.stringify(error)).not.toContain('violence');
  }
  expect(second.requests).toEqual([]);
  expect(alarms()).toHaveLength(before);
  await expectOpen();
});

const keys: [what: string, script: Script][] = [
  ['nothing of content', flaggedBy({ provider_name: 'x' })],
  ['the words inside another sentence', flaggedBy({}, 'The key is not for "Content violates usage guidelines".')],
  ['a failure behind it', flaggedBy({ raw: JSON.stringify({ error: 'The team has no access.' }) })],
];
test.each(keys)('any other 403 is about our key: %s', async (_, script) => {
  const before = alarms().length;
  gateway.upstream.next(script);
  expect((await gateway.chat(account.key, { model: set.alone })).status).toBe(502);
  expect(alarms()).toHaveLength(before + 1);
  expect((await gateway.chat(account.key, { model: set.alone })).status).toBe(503);
});
