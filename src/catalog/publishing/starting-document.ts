// Which document a starting server uses. A file counts only when it is neither the last one that was applied nor what the
// command line applied last, so that edits made since survive a restart; the embedded default only ever replaces itself.

import { assert } from '../../kit/assert.ts';
import { buildCatalog, type Catalog } from '../catalog.ts';
import type { DocumentFault } from '../check-references.ts';
import { hashText } from '../prepare-document.ts';
import { readNewDocument } from '../read-document.ts';
import { type AppliedRevision, applyDocument, type PublishingTools, SERVER } from './apply-document.ts';

export type Started =
  | { ok: true; applied: AppliedRevision | undefined; rejected?: DocumentFault[] }
  /** No good document exists at all. */
  | { ok: false; faults: DocumentFault[] };

export async function applyStartingDocument(
  tools: PublishingTools,
  file: string | undefined,
  embedded: string,
): Promise<Started> {
  const { read } = tools.store;
  const newest = await read.newestRevision();
  if (file === undefined) {
    const isStale = newest?.source === 'default' && newest.sourceHash !== hashText(embedded);
    if (newest && !isStale) return { ok: true, applied: undefined };
    const result = await applyDocument(tools, embedded, 'default', SERVER);
    return result.ok ? { ok: true, applied: result } : result;
  }
  if (newest && (await read.wasApplied(hashText(file)))) return { ok: true, applied: undefined };
  const result = await applyDocument(tools, file, 'file', SERVER);
  if (result.ok) return { ok: true, applied: result };
  return newest ? { ok: true, applied: undefined, rejected: result.faults } : result;
}

/** What may be shown while no database can say which revision is in force: the document of a first start, as revision 0.
 * Of a file with faults nothing is shown: the last good revision may say something else. */
export function catalogBeforeStart(file: string | undefined, embedded: string, at: number): Catalog {
  const read = readNewDocument(file ?? embedded);
  if (read.ok) return buildCatalog(read.document, 0, at);
  const usual = readNewDocument(embedded);
  assert(usual.ok, 'the embedded document is valid');
  return buildCatalog({ ...usual.document, channels: [], models: [] }, 0, at);
}
