// The models that a visitor may chat with, and the key that pays for it.

import type { SiteSession } from '../../accounts/sign-in/sessions.ts';
import type { Model } from '../../catalog/catalog.ts';
import { FREE_MODEL } from '../../catalog/document.ts';
import { allowedModels, ancestorsOf, isLiveChain } from '../../store/key-chain.ts';
import type { KeyRow } from '../../store/rows.ts';
import type { SiteTools } from '../tools.ts';

/** A key with the models that it and its ancestors allow. */
export interface ChatKey extends KeyRow {
  allowedModels: readonly string[] | null;
}

/** Free models come first, so that trying costs nothing. */
export function chatModels(tools: SiteTools, key: ChatKey | undefined): Model[] {
  return tools
    .catalog()
    .models.filter(({ kinds, id }) => kinds.includes('chat') && (key?.allowedModels?.includes(id) ?? true))
    .toSorted((a, b) => rank(a) - rank(b));
}

/** The free model that routes to any free model. */
function rank({ id, free }: Model): number {
  if (id === FREE_MODEL) return 0;
  return free ? 1 : 2;
}

/** The key that opened the session; after a sign-in with a password, the oldest key that may manage. */
export async function keyOf({ store, clock }: SiteTools, session: SiteSession): Promise<ChatKey | undefined> {
  const keys = await store.read.unrevokedKeysOf(session.accountId);
  const valid = keys.filter((key) => isLiveChain(key, ancestorsOf(keys, key), clock.now()));
  const key =
    session.keyId === null
      ? (valid.find(({ manage }) => manage) ?? valid[0])
      : valid.find(({ keyId }) => keyId === session.keyId);
  return key && { ...key, allowedModels: allowedModels([key, ...ancestorsOf(keys, key)]) };
}
