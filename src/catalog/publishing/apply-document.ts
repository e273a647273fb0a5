// Making a revision: the document is validated whole, its literal secrets are sealed, and it is stored for ever.

import type { Clock } from '../../kit/clock.ts';
import type { Sealer } from '../../kit/sealed.ts';
import { ACTORS, CONFIG_APPLY, type RevisionSource } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import type { DocumentFault } from '../check-references.ts';
import type { Document } from '../document.ts';
import { prepareDocument } from '../prepare-document.ts';
import { warnApply } from './warn-apply.ts';

export interface PublishingTools {
  store: Store;
  sealer: Sealer;
  clock: Clock;
}

/** Who applies the file at a start or by SIGHUP, and the embedded default. */
export const SERVER = ACTORS.server;

export interface AppliedRevision {
  revision: number;
  document: Document;
  /** What it changed that may be a slip of the hand. */
  warnings: DocumentFault[];
}

export type Applied = ({ ok: true } & AppliedRevision) | { ok: false; faults: DocumentFault[] };

export async function applyDocument(
  tools: PublishingTools,
  text: string,
  source: RevisionSource,
  /** Who asked for it, for the log of actions. */
  actor: string,
): Promise<Applied> {
  const { store, sealer, clock } = tools;
  const before = await store.read.newestRevision();
  const prepared = prepareDocument(text, sealer, before?.document);
  if (!prepared.ok) return prepared;
  const { document, stored, sourceHash } = prepared;
  const warnings = await warnApply(tools, before, { document, stored, source });
  const at = clock.now();
  const log = { at, actor, action: CONFIG_APPLY, subject: 'catalog', detail: {} };
  await store.commit('revise', { document: stored, source, sourceHash, at, log });
  const newest = await store.read.newestRevision();
  return { ok: true, revision: newest?.revision ?? 0, document, warnings };
}
