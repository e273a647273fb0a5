// Chooses the document of a starting server. A file counts only if it is neither the last applied file nor what the
// command line applied last, so that later edits survive a restart; the embedded default only replaces itself.

import { assert } from '../../kit/assert.ts';
import { buildCatalog, type Catalog } from '../catalog.ts';
import type { DocumentFault } from '../check-references.ts';
import { hashText, readNewDocument } from '../read-document.ts';
import { type AppliedRevision, applyDocument, type PublishingTools, SERVER } from './apply-document.ts';

export type Started =
  | { ok: true; applied: AppliedRevision | undefined; rejected?: DocumentFault[] }
  /** There is no valid document. */
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

/**
 * The catalog to show until the database reports the active revision: the document of a first start, as revision 0.
 * Nothing is shown of a file with faults: the last valid revision may differ.
 */
export function catalogBeforeStart(file: string | undefined, embedded: string, at: number): Catalog {
  const read = readNewDocument(file ?? embedded);
  if (read.ok) return buildCatalog(read.document, 0, at);
  const usual = readNewDocument(embedded);
  assert(usual.ok, 'the embedded document is valid');
  return buildCatalog({ ...usual.document, channels: [], models: [] }, 0, at);
}
