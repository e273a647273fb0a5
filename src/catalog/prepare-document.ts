// Turns a document's text into what is stored as a revision: fully validated, with literal secrets sealed.

import { createHash } from 'node:crypto';
import type { Sealer } from '../kit/sealed.ts';
import type { DocumentFault } from './check-references.ts';
import type { Document } from './document.ts';
import { checkKeptSecrets, sealDocument } from './document-secrets.ts';
import { type ReadDocument, readNewDocument } from './read-document.ts';

type PreparedDocument =
  | { ok: true; document: Document; stored: string; sourceHash: string }
  | { ok: false; faults: DocumentFault[] };

/** `before` is a stored document: it supplies the values of <kept>, and its addresses may stay. */
export function prepareDocument(text: string, sealer: Sealer, before: string | undefined): PreparedDocument {
  const read = checkDocument(text, before);
  if (!read.ok) return { ok: false, faults: read.faults };
  const stored = sealDocument(read.raw, sealer, before);
  return { ok: true, document: read.document, stored, sourceHash: hashText(text) };
}

/** All faults of the document as the revision after `before`. */
export function checkDocument(text: string, before: string | undefined): ReadDocument {
  const read = readNewDocument(text, before);
  const faults = [...(read.ok ? [] : read.faults), ...checkKeptSecrets(read.raw, before)];
  return faults.length > 0 ? { ok: false, faults, raw: read.raw } : read;
}

export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
