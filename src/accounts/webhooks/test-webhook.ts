// Sends a test message to a webhook at once, enabled or not, and returns the result. It is not an event: it is not
// retried, and it does not appear in the list of deliveries.

import { fault } from '../../faults/fault.ts';
import { WAIT } from '../../faults/table.ts';
import { type Clock, MINUTE_MS } from '../../kit/clock.ts';
import { createCounter } from '../../limits/counter.ts';
import { ATTEMPT_MS } from './deliver-events.ts';
import { findWebhook, type SecretsOf, type WebhookTools } from './manage-webhooks.ts';
import { type MessageTools, sendMessage } from './send-message.ts';

export interface TestTools extends WebhookTools, MessageTools {
  secretsOf: SecretsOf;
  countTest: CountTest;
}

/** Throws `rate_limited`. */
type CountTest = (accountId: string) => void;

const TESTS_PER_MINUTE = 10;
const MAX_ACCOUNTS = 10_000;

export function createTestCounter(clock: Clock): CountTest {
  const tests = createCounter({ clock, spanMs: MINUTE_MS, maxSubjects: MAX_ACCOUNTS });
  return (accountId) => {
    if (tests.take(accountId, TESTS_PER_MINUTE)) return;
    throw fault('rate_limited', {
      message: `Tests of webhooks for this minute are used up (${TESTS_PER_MINUTE}). Retry in ${WAIT}.`,
      ...tests.reached(accountId, TESTS_PER_MINUTE),
    });
  };
}

export async function testWebhook(tools: TestTools, accountId: string, webhookId: string) {
  const webhook = await findWebhook(tools, accountId, webhookId);
  tools.countTest(accountId);
  const id = tools.newId('test');
  const timestamp = new Date(tools.clock.now()).toISOString();
  const { isDelivered, status, detail, ms } = await sendMessage(tools, {
    id,
    url: webhook.url,
    body: JSON.stringify({ id, type: 'webhook.test', timestamp, data: { webhook_id: webhookId } }),
    secrets: tools.secretsOf(webhook),
    timeoutMs: ATTEMPT_MS,
  });
  return { event_id: id, delivered: isDelivered, status, error: detail, duration_ms: ms };
}
