// The sender of webhooks, and the API's tools for them.

import type { EventIds } from '../accounts/events/public-event.ts';
import { type TestTools, createSecretsOf, createTestCounter } from '../accounts/webhooks/manage-webhooks.ts';
import { type Post, createGuardedPost } from '../channels/post-message.ts';
import { publicHosts } from '../channels/public-host.ts';
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
