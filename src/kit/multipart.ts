// Bodies of multipart/form-data (RFC 7578). A body is split into views of its bytes, so a file is not copied. What is sent on
// has heads written here: two readers of one head could disagree about the name of a field.

/** A part: its text, or its file as it came. */
export interface Part {
  name: string;
  /** Undefined for a field with text. */
  filename: string | undefined;
  /** The content type of a file, if it has a readable one. */
  type: string | undefined;
  bytes: Uint8Array<ArrayBuffer>;
}

/** Says what is wrong and where, in words for the client. */
export class MultipartRefused extends Error {
  override name = 'MultipartRefused';
}

const MAX_PARTS = 64;
const MAX_HEAD_BYTES = 8 * 1024;
/** RFC 2046: at most 70 characters. */
const BOUNDARY = /;\s*boundary=(?:"([\w'()+,./:=? -]{0,69}[\w'()+,./:=?-])"|([\w'+./:=?-]{1,70}))\s*(?:;|$)/i;

export function isMultipart(contentType: string | null): contentType is string {
  return contentType !== null && /^multipart\/form-data\s*(?:;|$)/i.test(contentType);
}

/** Throws MultipartRefused. */
export function readBoundary(contentType: string): string {
  const found = BOUNDARY.exec(contentType);
  const boundary = found?.[1] ?? found?.[2];
  if (boundary === undefined) refuse('The content-type has no readable boundary');
  return boundary;
}

/** Throws MultipartRefused. */
export function readMultipart(body: Uint8Array<ArrayBuffer>, boundary: string): Part[] {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const first = delimiter.subarray(2);
  if (!bytes.subarray(0, first.length).equals(first)) refuse('The body does not begin with the boundary');
  const parts: Part[] = [];
  let at = first.length;
  for (;;) {
    const after = bytes.toString('latin1', at, at + 2);
    if (after === '--') return parts;
    if (after !== '\r\n') refuse(`The boundary at byte ${at} is not followed by a new line`);
    if (parts.length === MAX_PARTS) refuse(`The body has more than ${MAX_PARTS} parts`);
    // A head may be empty, so its end may be the end of the line before it.
    const headEnd = bytes.subarray(at, at + MAX_HEAD_BYTES).indexOf('\r\n\r\n');
    const number = parts.length + 1;
    if (headEnd < 0) refuse(`The head of part ${number}, at byte ${at}, has no end`);
    const head = readHead(bytes.toString('utf8', at + 2, at + headEnd), number);
    const start = at + headEnd + 4;
    const end = bytes.indexOf(delimiter, start - 2);
    if (end < 0) refuse(`Part ${number}, at byte ${start}, has no end: the closing boundary is missing`);
    parts.push({ ...head, bytes: body.subarray(start, Math.max(start, end)) });
    at = end + delimiter.length;
  }
}

const PARAMETER = /;\s*([\w-]+\*?)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s"]*))/g;
const PLAIN_ENCODING = /^(?:7bit|8bit|binary)$/i;
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(?:\s*;[ -~]*)?$/;
const MAX_TYPE_CHARS = 200;

function readHead(head: string, number: number): Omit<Part, 'bytes'> {
  const headers = new Map<string, string>();
  for (const line of head === '' ? [] : head.split('\r\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    if (name === '' || headers.has(name)) refuse(`The head of part ${number} has a line that cannot be read`);
    headers.set(name, line.slice(colon + 1).trim());
  }
  const disposition = headers.get('content-disposition') ?? '';
  const type = headers.get('content-type') ?? '';
  if (!/^form-data\s*;/i.test(disposition)) refuse(`Part ${number} has no content-disposition form-data`);
  if (!PLAIN_ENCODING.test(headers.get('content-transfer-encoding') ?? 'binary')) {
    refuse(`Part ${number} is encoded: send its bytes as they are`);
  }
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, plain = ''] of disposition.matchAll(PARAMETER)) {
    parameters.set(name.toLowerCase(), quoted?.replace(/\\(["\\])/g, '$1') ?? plain);
  }
  const name = parameters.get('name');
  if (name === undefined) refuse(`Part ${number} has no name`);
  const isReadable = type.length <= MAX_TYPE_CHARS && MEDIA_TYPE.test(type);
  return { name, filename: filenameOf(parameters), type: isReadable ? type : undefined };
}

/** Some clients name a file only in the form of RFC 5987. */
function filenameOf(parameters: ReadonlyMap<string, string>): string | undefined {
  const plain = parameters.get('filename');
  const extended = parameters.get('filename*');
  if (plain !== undefined || extended === undefined) return plain;
  try {
    return decodeURIComponent(extended.replace(/^[^']*'[^']*'/, ''));
  } catch {
    return 'file';
  }
}

function refuse(what: string): never {
  throw new MultipartRefused(what);
}

/** The body of these parts. None may contain the boundary. */
export function writeMultipart(parts: Iterable<Part>, boundary: string): Blob {
  const written: (string | Uint8Array<ArrayBuffer>)[] = [];
  for (const { name, filename, type, bytes } of parts) {
    const file = filename === undefined ? '' : `; filename="${quotable(filename)}"`;
    const typeLine = filename === undefined || type === undefined ? '' : `Content-Type: ${type}\r\n`;
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quotable(name)}"${file}\r\n${typeLine}\r\n`;
    written.push(head, bytes, '\r\n');
  }
  return new Blob([...written, `--${boundary}--\r\n`]);
}

/** As browsers write it. */
function quotable(text: string): string {
  return text
    .replaceAll('"', '%22')
    .replaceAll(/\p{Cc}/gu, '_')
    .toWellFormed();
}
