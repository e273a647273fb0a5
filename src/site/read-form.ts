// Forms: fields, and files as the text that they are.

import { Fault } from '../faults/fault.ts';

const MULTIPART = 'multipart/form-data';

/** Reasons why a form cannot be read. Each has its text. */
type FormProblem = 'compressed' | 'fileNotUtf8' | 'notUtf8' | 'broken';

export class FormRefused extends Error {
  override name = 'FormRefused';
  constructor(readonly problem: FormProblem) {
    super(problem);
  }
}

/** Undefined of what is no form. Refused: FormRefused, and the faults of a body that is too large or too slow. */
export async function readForm(
  request: Request,
  readBody: (request: Request) => Promise<string>,
): Promise<URLSearchParams | undefined> {
  const type = request.headers.get('content-type') ?? '';
  const isMultipart = type.startsWith(MULTIPART);
  if (request.method !== 'POST' || !(isMultipart || type.startsWith('application/x-www-form-urlencoded')))
    return undefined;
  // No browser compresses a form, but a program may.
  if (!/^(identity)?$/i.test(request.headers.get('content-encoding') ?? '')) throw new FormRefused('compressed');
  const text = await readBody(request).catch((error: unknown) => {
    if (!(error instanceof Fault) || error.code !== 'invalid_request') throw error;
    // Input of our pages is always UTF-8; a file has the encoding of its program.
    throw new FormRefused(isMultipart ? 'fileNotUtf8' : 'notUtf8');
  });
  return isMultipart ? readParts(text, type) : new URLSearchParams(text);
}

async function readParts(text: string, type: string): Promise<URLSearchParams> {
  const form = new URLSearchParams();
  const parts = await new Response(text, { headers: { 'content-type': type } }).formData().catch(() => {
    throw new FormRefused('broken');
  });
  for (const [name, value] of parts) form.append(name, typeof value === 'string' ? value : await value.text());
  return form;
}

/** The input of a field, without the spaces around it. */
export function typed(form: URLSearchParams, name: string): string {
  return (form.get(name) ?? '').trim();
}

/** A text of several lines, as it is stored: browsers send two characters for the end of a line. */
export function typedLines(form: URLSearchParams, name: string): string {
  return (form.get(name) ?? '').replaceAll('\r\n', '\n');
}

/** A whole number above 0, such as the id at which a page begins; undefined where there is none. */
export function wholeNumber(fields: URLSearchParams, name: string): number | undefined {
  const number = Number(fields.get(name));
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

/** A figure as people type it: full-width as an input method leaves it, groups of three parted by commas. Any other comma may
 * be meant as a decimal point, and amounts of money are never guessed: it stays, and the reader of the figure refuses it. */
export function plainNumber(text: string): string {
  const narrow = text.replace(/[０-９，．]/g, (char) => char.normalize('NFKC'));
  return /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(narrow) ? narrow.replaceAll(',', '') : narrow;
}
