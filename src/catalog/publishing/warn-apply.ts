// What whoever applies a file should look at twice: the same words as the operator's API has for a change, and that it takes
// the place of an edit that was made by other means.

import type { Clock } from '../../kit/clock.ts';
import { taipeiDay } from '../../kit/taipei.ts';
import { ACTORS, type Revision, type RevisionSource } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import type { DocumentFault } from '../check-references.ts';
import type { Document } from '../document.ts';
import { exportBeside, exportDocument } from '../document-secrets.ts';
import { WHOLE } from '../fault-words.ts';
import { readStoredDocument } from '../read-document.ts';
import { findWarnings, TRAFFIC_DAYS, warnLiterals } from '../warn-change.ts';

interface Coming {
  document: Document;
  stored: string;
  source: RevisionSource;
}

export async function warnApply(
  { store, clock }: { store: Store; clock: Clock },
  newest: Revision | undefined,
  coming: Coming,
): Promise<DocumentFault[]> {
  if (!newest) return warnLiterals(coming.document);
  const before = readStoredDocument(newest.document);
  // A version that cannot read what it replaces can compare nothing.
  if (!before.ok) return [...warnReplaced(newest, coming), ...warnLiterals(coming.document)];
  const traffic = await store.read.trafficDays(taipeiDay(clock.now()) - TRAFFIC_DAYS);
  const changes = findWarnings(before.document, coming.document, traffic);
  // The embedded default is there to be replaced: nobody misses what of it was never used.
  const isMissed = ({ requests }: { requests?: number }) => newest.source !== 'default' || requests !== 0;
  return [...warnReplaced(newest, coming), ...changes.filter(isMissed)];
}

function warnReplaced(newest: Revision, { stored, source }: Coming): DocumentFault[] {
  if (newest.source !== 'operator') return [];
  // The command line does not say which file it applied: one other file after another is how it is used.
  if (source === 'operator' && newest.actor === ACTORS.commandLine) return [];
  if (exportBeside(stored, newest.document, { isReturn: false }) === exportDocument(newest.document)) return [];
  const by =
    newest.actor === ACTORS.commandLine
      ? 'the command "config apply" of another file'
      : "the console or the operator's API";
  const message = `replaces revision ${newest.revision}, made by ${by}: what was edited there is undone, unless it stands in this document, too`;
  return [{ path: WHOLE, message }];
}
