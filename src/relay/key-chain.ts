// The counters of a call beyond its account and its own key: the key's ancestors, its session, and rates.

import type { PresentedKey } from '../accounts/keys/authenticator.ts';
import { sessionPage } from '../store/book/budgets.ts';
import { hasRates } from '../store/key-limits.ts';
import type { KeyChain } from '../store/rows.ts';

type ChainedKey = Pick<PresentedKey, 'keyId' | 'limits' | 'ancestors'>;

/** Undefined for most calls. `session`: the keyed hash of its name, computed only if a key has a session budget. */
export function chainOf(key: ChainedKey, isFree: boolean, session: () => string): KeyChain | undefined {
  if (key.ancestors.length === 0 && !isChained(key)) return undefined;
  const keys = [key, ...key.ancestors];
  const rated = keys.filter(({ limits }) => hasRates(limits)).map(({ keyId }) => keyId);
  // Free calls count for rates alone.
  if (isFree && rated.length === 0) return undefined;
  const withSession = isFree ? [] : keys.filter(({ limits }) => limits.sessionBudget !== undefined);
  const name = withSession.length > 0 ? session() : '';
  return {
    ancestors: key.ancestors.map(({ keyId }) => keyId),
    sessions: withSession.map(({ keyId }) => sessionPage(keyId, name)),
    rated,
  };
}

function isChained({ limits }: ChainedKey): boolean {
  return limits.sessionBudget !== undefined || hasRates(limits);
}
