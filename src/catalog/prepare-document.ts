// From the text of a document to what is stored as a revision: validated whole, its literal secrets sealed.

import { createHash } from 'node:crypto';
import type { Sealer } from '../kit/sealed.ts';
import type { DocumentFault } from './check-references.ts';
import type { Document } from './document.ts';
import { checkKeptSecrets, sealDocument } from './document-secrets.ts';
import { readNewDocument } from './read-document.ts';

export type PreparedDocument =
  | { ok: true; document: Document; stored: string; sourceHash: string }
  | { ok: false; faults: DocumentFault[] };

/** `before` is a stored document: it supplies the values of <kept>. */
export function prepareDocument(text: string, sealer: Sealer, before: string | undefined): PreparedDocument {
  const read = readNewDocument(text);
  const kept = checkKeptSecrets(read.raw, before);
  if (!read.ok) return { ok: false, faults: [...read.faults, ...kept] };
  if (kept.length > 0) return { ok: false, faults: kept };
  const stored = sealDocument(read.raw, sealer, before);
  return { ok: true, document: read.document, stored, sourceHash: hashText(text) };
}

export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
