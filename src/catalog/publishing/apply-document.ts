// Creates a revision: validates the whole document, seals its literal secrets and stores it permanently.

import type { Clock } from '../../kit/clock.ts';
import type { Sealer } from '../../kit/sealed.ts';
import { taipeiDay } from '../../kit/taipei.ts';
import { ACTORS, CONFIG_APPLY, type Revision, type RevisionSource } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import type { DocumentFault } from '../check-references.ts';
import type { Document } from '../document.ts';
import { exportBeside, exportDocument } from '../document-secrets.ts';
import { WHOLE } from '../fault-words.ts';
import { prepareDocument, readStoredDocument } from '../read-document.ts';
import { findWarnings, TRAFFIC_DAYS, warnLiterals } from '../warn-change.ts';
import { announcedEvents } from './announcements.ts';

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

interface AppliedDocument {
  document: Document;
  stored: string;
  source: RevisionSource;
}

/**
 * The same warnings as the operator's API gives for a change, and that the file replaces an edit made by other means.
 */
async function warnApply(
  { store, clock }: PublishingTools,
  newest: Revision | undefined,
  applied: AppliedDocument,
): Promise<DocumentFault[]> {
  if (!newest) return warnLiterals(applied.document);
  const before = readStoredDocument(newest.document);
  // Without a readable previous revision there is nothing to compare.
  if (!before.ok) return [...warnReplaced(newest, applied), ...warnLiterals(applied.document)];
  const now = clock.now();
  const traffic = await store.read.trafficDays(taipeiDay(now) - TRAFFIC_DAYS);
  const changes = findWarnings(before.document, applied.document, traffic, now);
  // The embedded default is meant to be replaced: only its used entries are worth a warning.
  const isMissed = ({ requests }: { requests?: number }) => newest.source !== 'default' || requests !== 0;
  return [...warnReplaced(newest, applied), ...changes.filter(isMissed)];
}

function warnReplaced(newest: Revision, { stored, source }: AppliedDocument): DocumentFault[] {
  if (newest.source !== 'operator') return [];
  // The command line does not record the file's name: applying different files in turn is normal.
  if (source === 'operator' && newest.actor === ACTORS.commandLine) return [];
  if (exportBeside(stored, newest.document, { isRollback: false }) === exportDocument(newest.document)) return [];
  const by =
    newest.actor === ACTORS.commandLine
      ? 'the command "config apply" of another file'
      : "the console or the operator's API";
  const message = `replaces revision ${newest.revision}, made by ${by}: edits made there are lost unless this document contains them`;
  return [{ path: WHOLE, message }];
}
