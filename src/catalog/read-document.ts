// Parses YAML (or JSON, which is YAML) into a valid document, or lists everything that is wrong with it, by path.

import { createHash } from 'node:crypto';
import { parseDocument } from 'yaml';
import type { z } from 'zod';
import type { Sealer } from '../kit/sealed.ts';
import { checkNew } from './check-new.ts';
import { checkReferences, type DocumentFault } from './check-references.ts';
import { type Document, documentShape } from './document.ts';
import { checkKeptSecrets, sealDocument } from './document-secrets.ts';
import { describeIssue, unknownFields, WHOLE, YAML_REASONS } from './fault-words.ts';

type ReadDocument =
  | { ok: true; document: Document; raw: unknown }
  /** `raw` is what could be parsed. */
  | { ok: false; faults: DocumentFault[]; raw: unknown };

const MAX_ALIASES = 100;
/** Traces of other encodings: replacement characters of Big5, zero bytes of UTF-16. */
const OTHER_ENCODING = /[\0\ufffd]/;

export function readDocument(text: string): ReadDocument {
  const yaml = parseDocument(text, { uniqueKeys: true, strict: true });
  if (yaml.errors.length > 0) {
    return {
      ok: false,
      raw: undefined,
      faults: yaml.errors.map((error) => ({
        path: error.linePos ? `line ${error.linePos[0].line}` : WHOLE,
        message: `not valid YAML: ${YAML_REASONS[error.code]}`,
      })),
    };
  }
  let raw: unknown;
  try {
    raw = yaml.toJS({ maxAliasCount: MAX_ALIASES });
  } catch {
    return refuseWhole('the document has too many YAML aliases, or one without an anchor');
  }
  return checkRaw(raw);
}

/** Reads a stored revision: JSON, which parses ten times as fast as YAML and has no field twice. */
export function readStoredDocument(stored: string): ReadDocument {
  let raw: unknown;
  try {
    raw = JSON.parse(stored);
  } catch {
    return readDocument(stored);
  }
  return checkRaw(raw);
}

function checkRaw(raw: unknown): ReadDocument {
  if (raw === undefined || raw === null) return refuseWhole('the document is empty: it needs channels and models');
  if (typeof raw !== 'object' || Array.isArray(raw)) {
    return refuseWhole('the document must be a table of fields, with channels and models');
  }
  const shaped = documentShape.safeParse(raw, { error: describeIssue });
  const shapeFaults = shaped.success ? [] : shaped.error.issues.flatMap((issue) => toFaults(issue, []));
  const faults = [...shapeFaults, ...checkReferences(raw)];
  return shaped.success && faults.length === 0 ? { ok: true, document: shaped.data, raw } : { ok: false, faults, raw };
}

/** Reads a document that is to become the revision after `before`. */
export function readNewDocument(text: string, before?: string): ReadDocument {
  if (OTHER_ENCODING.test(text)) return refuseWhole('the document is not UTF-8: save the file as UTF-8');
  const read = readDocument(text);
  if (!read.ok) return read;
  const faults = checkNew(read.document, () => {
    const stored = before === undefined ? undefined : readStoredDocument(before);
    return stored?.ok ? stored.document.channels : [];
  });
  return faults.length > 0 ? { ok: false, faults, raw: read.raw } : read;
}

/** All faults of the document as the revision after `before`, from which every <kept> gets its value. */
export function checkDocument(text: string, before: string | undefined): ReadDocument {
  const read = readNewDocument(text, before);
  const faults = [...(read.ok ? [] : read.faults), ...checkKeptSecrets(read.raw, before)];
  return faults.length > 0 ? { ok: false, faults, raw: read.raw } : read;
}

/** What is stored as the revision after `before`: fully validated, with literal secrets sealed. */
export function prepareDocument(text: string, sealer: Sealer, before: string | undefined) {
  const read = checkDocument(text, before);
  if (!read.ok) return { ok: false as const, faults: read.faults };
  const stored = sealDocument(read.raw, sealer, before);
  return { ok: true as const, document: read.document, stored, sourceHash: hashText(text) };
}

export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function refuseWhole(message: string): ReadDocument {
  return { ok: false, raw: undefined, faults: [{ path: WHOLE, message }] };
}

/** A union's own message hides which branch was meant: if one branch matched the type, its issues are listed. */
function toFaults(issue: z.core.$ZodIssue, prefix: readonly PropertyKey[]): DocumentFault[] {
  const path = [...prefix, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    const message = issue.message === unknownFields(issue.keys) ? 'unknown field' : issue.message;
    return issue.keys.map((key) => ({ path: printPath([...path, key]), message }));
  }
  if (issue.code === 'invalid_union') {
    const inner = issue.errors.find((branch) => branch.some((nested) => nested.path.length > 0 || isCustom(nested)));
    if (inner) return inner.flatMap((nested) => toFaults(nested, path));
  }
  return [{ path: printPath(path), message: issue.message }];
}

function isCustom(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'custom' || issue.code === 'unrecognized_keys';
}

function printPath(path: readonly PropertyKey[]): string {
  const text = path.reduce<string>(
    (printed, part) =>
      typeof part === 'number' ? `${printed}[${part}]` : `${printed}${printed ? '.' : ''}${String(part)}`,
    '',
  );
  return text || WHOLE;
}
