// The models that a visitor may chat with, and the key that pays for it.

import type { SiteSession } from '../../accounts/sign-in/sessions.ts';
import type { Model } from '../../catalog/catalog.ts';
import { FREE_MODEL } from '../../catalog/document.ts';
import { isLiveKey } from '../../store/key-rules.ts';
import type { KeyRow } from '../../store/rows.ts';
import type { SiteTools } from '../tools.ts';

/** Free models come first, so that trying costs nothing. */
export function chatModels(tools: SiteTools, key: KeyRow | undefined): Model[] {
  return tools
    .catalog()
    .models.filter(({ kinds, id }) => kinds.includes('chat') && (key?.models?.includes(id) ?? true))
    .toSorted((a, b) => rank(a) - rank(b));
}

/** Of the free models, the one that routes to any of them. */
function rank({ id, free }: Model): number {
  if (id === FREE_MODEL) return 0;
  return free ? 1 : 2;
}

/** The key that opened the session; after a sign-in with a password, the oldest key that may manage. */
export async function keyOf({ store, clock }: SiteTools, session: SiteSession): Promise<KeyRow | undefined> {
  const keys = await store.read.keysOf(session.accountId);
  const valid = keys.filter((key) => isLiveKey(key, clock.now()));
  if (session.keyId !== null) return valid.find(({ keyId }) => keyId === session.keyId);
  return valid.find(({ manage }) => manage) ?? valid[0];
}
