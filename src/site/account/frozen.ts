// Whether the wallet of a visitor is frozen: pages from which money is spent or added say so before anything is tried.

import type { SiteTools } from '../tools.ts';
import type { SignedVisit } from './visit.tsx';

export async function isFrozen({ store }: SiteTools, { session }: SignedVisit): Promise<boolean> {
  return (await store.read.wallet(session.accountId))?.frozen ?? false;
}
