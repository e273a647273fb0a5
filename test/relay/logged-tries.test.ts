// Why a call went wrong, or took another channel than its first, stands in its line of the log: channels and outcomes,
// and nothing that an upstream said.

import { expect, test } from 'bun:test';
import { eventually } from '../support/eventually.ts';
import { STATUS_FAILURES, UPSTREAM_SECRETS } from '../support/failures.ts';
import type { TestAccount, TestGateway } from '../support/gateway.ts';
import type { LogLine } from '../support/log-capture.ts';
import { chatAnswer, chatStream } from '../support/openai-chat.ts';
import { bodyLength, cutAt } from '../support/script.ts';
import { type ChannelSet, useTwoChannels } from '../support/two-channels.ts';
import type { ScriptedUpstream } from '../support/upstream.ts';

let first: ScriptedUpstream;
let second: ScriptedUpstream;
let gateway: TestGateway;
let account: TestAccount;
let set: ChannelSet;

useTwoChannels((inUse) => {
  ({ first, second, gateway, account, set } = inUse);
});

async function logged(body: { model: string; stream?: boolean }): Promise<LogLine> {
  const response = await gateway.chat(account.key, body);
  await response.text();
  const id = response.headers.get('x-request-id');
  const isOwn = ({ event, request_id }: LogLine) => event === 'request' && request_id === id;
  return eventually('its line in the log', () => gateway.log.lines().find(isOwn));
}

test.each([false, true])('a single successful attempt is not logged; streamed: %p', async (stream) => {
  first.next(stream ? chatStream() : chatAnswer());
  const line = await logged({ model: set.both, stream });
  expect(line).toMatchObject({ outcome: 'ok', channel: set.first });
  expect(line).not.toHaveProperty('tries');
});

test('a channel that failed before another served', async () => {
  first.otherwise({ cut: { after: 'head', by: 'rst' } });
  second.next(chatAnswer());
  const { outcome, tries } = await logged({ model: set.both });
  expect(outcome).toBe('ok');
  const failed = `${set.first}:network_error`;
  expect(tries).toBe(`${failed},${failed},${set.second}:ok`);
});

test('the only try, which failed', async () => {
  first.otherwise({ status: 404, body: [] });
  expect(await logged({ model: set.alone })).toMatchObject({
    outcome: 'upstream_failed',
    tries: `${set.first}:route_missing`,
  });
});

test('a stream that broke after its first word, and went on', async () => {
  const stream = chatStream();
  const upToHello = bodyLength({ body: stream.body?.slice(0, 2) ?? [] });
  first.next(cutAt(stream, upToHello, 'rst', 30), chatStream());
  expect(await logged({ model: set.alone, stream: true })).toMatchObject({
    outcome: 'ok',
    tries: `${set.first}:network_error,${set.first}:ok`,
  });
});

test.each(STATUS_FAILURES)('%s: names and outcomes only', async (_, failure) => {
  first.otherwise(failure);
  const { tries } = await logged({ model: set.alone });
  expect(tries).toMatch(new RegExp(`^(${set.first}:[a-z_]+,?)+$`));
  for (const secret of Object.values(UPSTREAM_SECRETS)) expect(tries).not.toContain(secret);
});
