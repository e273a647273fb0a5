// Creates a revision: validates the whole document, seals its literal secrets and stores it permanently.

import type { Clock } from '../../kit/clock.ts';
import type { Sealer } from '../../kit/sealed.ts';
import { ACTORS, CONFIG_APPLY, type RevisionSource } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import type { DocumentFault } from '../check-references.ts';
import type { Document } from '../document.ts';
import { prepareDocument } from '../prepare-document.ts';
import { announcedEvents } from './announcements.ts';
import { warnApply } from './warn-apply.ts';

export interface PublishingTools {
  store: Store;
  sealer: Sealer;
  clock: Clock;
}

/** The actor of the embedded default, and of the file at a start or on SIGHUP. */
export const SERVER = ACTORS.server;

export interface AppliedRevision {
  revision: number;
  document: Document;
  /** Changes that may be mistakes. */
  warnings: DocumentFault[];
}

type Applied = ({ ok: true } & AppliedRevision) | { ok: false; faults: DocumentFault[] };

export async function applyDocument(
  tools: PublishingTools,
  text: string,
  source: RevisionSource,
  /** For the action log. */
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
  const events = announcedEvents(before?.document, document, at);
  await store.commit('revise', { document: stored, source, sourceHash, at, events, log });
  const newest = await store.read.newestRevision();
  return { ok: true, revision: newest?.revision ?? 0, document, warnings };
}
