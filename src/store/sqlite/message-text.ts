// Batches and their answers travel between the threads as JSON, which costs half as much as a structured clone. Money is a
// bigint, and optional fields may be undefined; JSON has neither, so both become strings that begin with a mark.

const MARK = '\u0001';
const MARK_CODE = MARK.charCodeAt(0);
const UNDEFINED = `${MARK}u`;
const TEXT = `${MARK}t`;

type Fields = Record<string, unknown>;

export function toText(message: object): string {
  return JSON.stringify(markObject(message));
}

export function fromText(text: string): unknown {
  return unmarkFields(JSON.parse(text) as Fields);
}

function markObject(value: object): object {
  return Array.isArray(value) ? value.map(mark) : markFields(value as Fields);
}

/** Copies only what has to be changed. */
function markFields(fields: Fields): Fields {
  let copy: Fields | undefined;
  for (const key in fields) {
    const value = fields[key];
    const marked = mark(value);
    if (marked === value) continue;
    copy ??= { ...fields };
    copy[key] = marked;
  }
  return copy ?? fields;
}

function mark(value: unknown): unknown {
  if (typeof value === 'string') return value.charCodeAt(0) === MARK_CODE ? TEXT + value : value;
  if (typeof value === 'bigint') return MARK + value;
  if (typeof value === 'object') return value === null ? null : markObject(value);
  return value === undefined ? UNDEFINED : value;
}

/** In place: what JSON has just made is nobody else's. */
function unmarkFields(fields: Fields): Fields {
  for (const key of Object.keys(fields)) {
    const value = fields[key];
    if (typeof value === 'string') {
      if (value.charCodeAt(0) === MARK_CODE) fields[key] = unmark(value);
    } else if (typeof value === 'object' && value !== null) unmarkFields(value as Fields);
  }
  return fields;
}

function unmark(marked: string): string | bigint | undefined {
  if (marked === UNDEFINED) return undefined;
  return marked.startsWith(TEXT) ? marked.slice(TEXT.length) : BigInt(marked.slice(MARK.length));
}
