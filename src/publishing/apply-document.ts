// Making a revision: the document is validated whole, its literal secrets are sealed, and it is stored for ever.

import { createHash } from 'node:crypto';
import type { DocumentFault } from '../catalog/check-references.ts';
import type { Document } from '../catalog/document.ts';
import { checkKeptSecrets, sealDocument } from '../catalog/document-secrets.ts';
import { readNewDocument } from '../catalog/read-document.ts';
import type { Clock } from '../kit/clock.ts';
import type { Sealer } from '../kit/sealed.ts';
import type { RevisionSource } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

export interface PublishingTools {
  store: Store;
  sealer: Sealer;
  clock: Clock;
}

export type Applied = { ok: true; revision: number; document: Document } | { ok: false; faults: DocumentFault[] };

export async function applyDocument(
  { store, sealer, clock }: PublishingTools,
  text: string,
  source: RevisionSource,
): Promise<Applied> {
  const read = readNewDocument(text);
  const before = (await store.read.newestRevision())?.document;
  const kept = checkKeptSecrets(read.raw, before);
  if (!read.ok) return { ok: false, faults: [...read.faults, ...kept] };
  if (kept.length > 0) return { ok: false, faults: kept };
  await store.commit('revise', {
    document: sealDocument(read.raw, sealer, before),
    source,
    sourceHash: hashText(text),
    at: clock.now(),
  });
  const newest = await store.read.newestRevision();
  return { ok: true, revision: newest?.revision ?? 0, document: read.document };
}

export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
