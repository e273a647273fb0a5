// A request with files, as multipart/form-data. Its texts are read as JSON, so that every check of a body holds for them,
// too; its files are kept as bytes. For an upstream it is written anew, with only our fields changed.

import { fault } from '../../faults/fault.ts';
import { fieldName } from '../../kit/json/field-name.ts';
import { editMembers, type Json, type JsonObject } from '../../kit/json/json.ts';
import { MultipartRefused, type Part, readBoundary, readMultipart, writeMultipart } from '../../kit/multipart.ts';
import type { RelayRequest } from '../dialect.ts';
import { refuseField } from '../fields.ts';
import { withoutFields } from '../removals/remove-fields.ts';

/** How a format sends files. */
export interface FormRules {
  /** The most that a form may have, files included. */
  maxBytes: number;
  /** By the name of the field: how many files it takes. */
  files: Readonly<Record<string, { least: number; most: number }>>;
  /** Fields with a whole number, and with `true` or `false`. */
  counts: readonly string[];
  flags: readonly string[];
  /** The format also has requests in JSON, with addresses in place of files. */
  takesJson: boolean;
}

/** A body for an upstream that is no JSON text. */
export interface FormBody {
  bytes: Blob;
  contentType: string;
}

export type UpstreamBody = string | FormBody;

export type Form = ReturnType<typeof readForm>;

const MAX_TEXT_BYTES = 1024 * 1024;
/** Others could be read as another name by an upstream. `x[]` and `x[0]` are items of `x`. */
const NAME = /^([\w.-]{1,100})(?:\[[\w.-]{0,100}\])*$/;

/** Throws a fault that says what is wrong, and where. */
export function readForm(body: Uint8Array<ArrayBuffer>, contentType: string, rules: FormRules) {
  const { boundary, parts } = splitForm(body, contentType);
  const texts: Part[] = [];
  const files = new Map<string, Part[]>();
  for (const part of parts) {
    const field = fieldOf(part);
    if (part.filename === undefined) texts.push(part);
    else files.set(field, [...(files.get(field) ?? []), part]);
  }
  for (const [name, all] of files) {
    if (!Object.hasOwn(rules.files, name)) refuseNamed(name, 'must be text, without a filename');
    if (all.some(({ bytes }) => bytes.length === 0)) refuseNamed(name, 'is an empty file');
  }
  for (const [name, { least, most }] of Object.entries(rules.files)) {
    const count = files.get(name)?.length ?? 0;
    if (texts.some((part) => fieldOf(part) === name)) refuseField(name, `${name} must be a file, with a filename.`);
    if (count < least) refuseField(name, `${name} is missing. Send it as a file, in multipart/form-data.`);
    if (count > most) refuseField(name, `${name} has ${count} files, and at most ${most} are possible.`);
  }
  return {
    /** The fields with text, as a JSON object. */
    json: new TextEncoder().encode(JSON.stringify(readTexts(texts, rules))),
    files: (name: string): readonly Part[] => files.get(name) ?? [],
    /** `edits`: our own fields, in place of the client's. `isSent`: whether a field with text is passed on. */
    write: (edits: Readonly<Record<string, string>>, isSent: (field: string) => boolean): FormBody => ({
      bytes: writeMultipart(sentParts(parts, edits, isSent), boundary),
      contentType: `multipart/form-data; boundary="${boundary}"`,
    }),
  };
}

function splitForm(body: Uint8Array<ArrayBuffer>, contentType: string) {
  try {
    const boundary = readBoundary(contentType);
    return { boundary, parts: readMultipart(body, boundary) };
  } catch (error) {
    if (!(error instanceof MultipartRefused)) throw error;
    throw fault('invalid_request', { message: `The form cannot be read. ${error.message}.` });
  }
}

function fieldOf({ name }: Part): string {
  const field = NAME.exec(name)?.[1];
  if (field === undefined) {
    throw fault('invalid_request', {
      message: 'A field of the form has a name that is not made of letters, digits, underscores, hyphens and dots.',
    });
  }
  return field;
}

/** A name that is no name of the API may be content, and is not repeated. */
function refuseNamed(field: string, what: string): never {
  const param = fieldName(field);
  throw fault('invalid_request', { param, message: `${param ?? 'A field of the form'} ${what}.` });
}

function readTexts(parts: readonly Part[], { counts, flags }: FormRules): JsonObject {
  const values = new Map<string, Json>();
  let length = 0;
  for (const part of parts) {
    const field = fieldOf(part);
    length += part.bytes.length;
    if (length > MAX_TEXT_BYTES) refuseNamed(field, 'makes the texts of the form longer than 1 MiB together');
    const text = readText(part, field);
    const earlier = values.get(field);
    if (part.name === field) {
      if (earlier !== undefined) refuseNamed(field, 'occurs twice in the form. Send it once');
      values.set(field, typedValue(text, counts.includes(field), flags.includes(field)));
    } else {
      if (earlier !== undefined && !Array.isArray(earlier)) refuseNamed(field, 'is a text and a list');
      values.set(field, [...(earlier ?? []), text]);
    }
  }
  return Object.fromEntries(values);
}

const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function readText({ bytes }: Part, field: string): string {
  try {
    return DECODER.decode(bytes);
  } catch {
    return refuseNamed(field, 'is not valid UTF-8');
  }
}

/** A text that is no such value stays a text, which the format refuses. */
function typedValue(text: string, isCount: boolean, isFlag: boolean): Json {
  if (isCount && /^\d{1,9}$/.test(text)) return Number(text);
  if (isFlag && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return text;
}

function* sentParts(
  parts: readonly Part[],
  edits: Readonly<Record<string, string>>,
  isSent: (field: string) => boolean,
): Generator<Part> {
  // First, because some upstreams read the fields before the files.
  for (const [name, text] of Object.entries(edits)) {
    yield { name, filename: undefined, type: undefined, bytes: new TextEncoder().encode(text) };
  }
  for (const part of parts) {
    const field = fieldOf(part);
    if (part.filename !== undefined || (!Object.hasOwn(edits, field) && isSent(field))) yield part;
  }
}

/** The request as a form again, without fields that were removed from the document. */
export function writeSame(
  { document, form }: Pick<RelayRequest, 'document' | 'form'>,
  edits: Readonly<Record<string, string>>,
  removed: readonly string[] = [],
): UpstreamBody {
  if (!form) return editMembers(document, withoutFields(edits, removed));
  return form.write(edits, (field) => Object.hasOwn(document.value, field) && !removed.includes(field));
}
