// What a scripted upstream answers to one request, byte by byte.

export type Part =
  | string
  | Uint8Array
  /** A pause of so many milliseconds. */
  | number
  /** A pause until the test lets it go on. */
  | Promise<unknown>;

export interface Cut {
  after: number | 'head';
  by: 'fin' | 'rst' | 'stall';
  /** From when the other side has read what came before. */
  pauseMs?: number;
  /** Not before the test lets it happen. */
  when?: Promise<unknown>;
}

export interface Script {
  status?: number;
  headers?: Readonly<Record<string, string>>;
  body?: readonly Part[];
  /** Parts made while they are sent, after the body: for answers too large to hold. Needs `chunked` or `close`. */
  rest?: Iterable<Part>;
  /** `sized`: content-length; `chunked`: one chunk a part; `close`: the end of the connection is the end of the body. */
  framing?: 'sized' | 'chunked' | 'close';
  /** Where the answer breaks off, counted in bytes of the body; `head` breaks off before the status line. */
  cut?: Cut;
}

export function bytesOf(part: string | Uint8Array): Uint8Array {
  return typeof part === 'string' ? new TextEncoder().encode(part) : part;
}

export function bodyLength({ body = [] }: Script): number {
  return body.reduce<number>((sum, part) => sum + (isBytes(part) ? bytesOf(part).byteLength : 0), 0);
}

export function isBytes(part: Part): part is string | Uint8Array {
  return typeof part === 'string' || part instanceof Uint8Array;
}

/** The same body in pieces of `size` bytes each. */
export function inPieces(script: Script, size: number): Script {
  const whole = Buffer.concat((script.body ?? []).filter(isBytes).map(bytesOf));
  const body: Part[] = [];
  for (let at = 0; at < whole.length; at += size) body.push(whole.subarray(at, at + size));
  return { ...script, body };
}

/** The same body in two pieces, each sent by itself. */
export function splitAt(script: Script, offset: number): Script {
  const whole = Buffer.concat((script.body ?? []).filter(isBytes).map(bytesOf));
  return { ...script, body: [whole.subarray(0, offset), whole.subarray(offset)].filter((part) => part.length > 0) };
}

export function cutAt(script: Script, after: number | 'head', by: Cut['by'], pauseMs = 0): Script {
  return { ...script, cut: { after, by, pauseMs } };
}

/** So many parts of the body, and once `end` has come one byte more and no more. */
export function breakAfter(script: Script, parts: number, end: Promise<unknown>): Script {
  const body = script.body ?? [];
  const begun = body.slice(0, parts);
  const cut: Cut = { after: bodyLength({ body: begun }) + 1, by: 'fin' };
  return { ...script, body: [...begun, end, ...body.slice(parts)], cut };
}
