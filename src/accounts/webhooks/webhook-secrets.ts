// The secrets of a webhook: sealed in the database, with its id as associated data, because signing needs their text.

import { assert } from '../../kit/assert.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Sealer } from '../../kit/sealed.ts';
import type { Webhook } from '../../store/rows.ts';

/** The secrets that messages are signed with: the newest first. Throws rather than leave one out. */
export type SecretsOf = (webhook: Webhook) => string[];

const owner = (webhookId: string) => `webhook:${webhookId}`;

export function sealSecret(sealer: Sealer, webhookId: string, secret: string): string {
  return sealer.seal(secret, owner(webhookId));
}

export function createSecretsOf(sealer: Sealer, clock: Clock): SecretsOf {
  return ({ webhookId, secret, oldSecret, oldSecretUntil }) => {
    const isOldValid = oldSecret !== null && oldSecretUntil !== null && oldSecretUntil > clock.now();
    return (isOldValid ? [secret, oldSecret] : [secret]).map((sealed) => {
      const text = sealer.open(sealed, owner(webhookId));
      assert(text !== undefined, 'the secret of a webhook is sealed under the pepper of the database');
      return text;
    });
  };
}
