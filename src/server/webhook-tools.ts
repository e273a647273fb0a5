// The senders of messages: webhooks of customers with the API's tools for them, and alarms to the operator's URL.

import type { EventIds } from '../accounts/events/public-event.ts';
import { createSecretsOf, createTestCounter, type TestTools } from '../accounts/webhooks/manage-webhooks.ts';
import { type MessageTools, sendMessage } from '../accounts/webhooks/send-message.ts';
import { createGuardedPost, type Post } from '../channels/post-message.ts';
import { publicHosts } from '../channels/public-host.ts';
import { type AlarmSink, NotDelivered, severityOf } from '../kit/alarms.ts';
import type { Clock } from '../kit/clock.ts';
import type { NewId } from '../kit/ids.ts';
import type { Random } from '../kit/random.ts';
import type { Sealer } from '../kit/sealed.ts';
import type { Store } from '../store/store.ts';
import type { Settings } from './settings/settings.ts';

interface Parts {
  store: Store;
  clock: Clock;
  random: Random;
  newId: NewId;
  sealer: Sealer;
  eventIds: EventIds;
  /** In place of one that uses the network. */
  post: Post | undefined;
}

export function createWebhookTools({ allowsPrivateWebhooks }: Settings, parts: Parts): TestTools {
  const { clock, sealer } = parts;
  const hosts = allowsPrivateWebhooks ? { ...publicHosts, isAllowed: () => true } : publicHosts;
  return {
    ...parts,
    post: parts.post ?? createGuardedPost({ ...hosts, allowsHttp: allowsPrivateWebhooks }),
    webhookUrls: { allowsPrivate: allowsPrivateWebhooks },
    secretsOf: createSecretsOf(sealer, clock),
    countTest: createTestCounter(clock),
  };
}

const ALARM_TIMEOUT_MS = 5_000;

/**
 * One POST for each alarm, with a timeout, signed if there is a secret of Standard Webhooks. Throws NotDelivered if it fails;
 * the alarm is in the log and the store anyway.
 */
export function createAlarmWebhook(
  tools: MessageTools & { newId: NewId },
  url: string,
  secret: string | undefined,
): AlarmSink {
  const secrets = secret === undefined ? [] : [secret];
  return async ({ name, fields }) => {
    const at = new Date(tools.clock.now()).toISOString();
    const body = JSON.stringify({ alarm: name, severity: severityOf(name), at, ...fields });
    const message = { url, id: tools.newId('alm'), body, secrets, timeoutMs: ALARM_TIMEOUT_MS };
    const { detail } = await sendMessage(tools, message);
    if (detail !== null) throw new NotDelivered(detail);
  };
}
