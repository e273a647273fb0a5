// Just enough HTTP/1.1 to read the requests a gateway sends.

export interface WireRequest {
  method: string;
  path: string;
  /** In the order and spelling they came in. */
  rawHeaders: readonly (readonly [name: string, value: string])[];
  headers: Readonly<Record<string, string>>;
  body: string;
  /** The body as it came. */
  bytes: Buffer;
}

/** Undefined while the request is not yet whole. */
export function readWireRequest(bytes: Buffer): WireRequest | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [requestLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const [method = '', path = ''] = requestLine.split(' ');
  const rawHeaders = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
  });
  const headers = Object.fromEntries(rawHeaders.map(([name, value]) => [name.toLowerCase(), value]));
  const rest = bytes.subarray(headEnd + 4);
  const body = headers['transfer-encoding'] === 'chunked' ? readChunks(rest) : readSized(rest, headers);
  return body && { method, path, rawHeaders, headers, body: body.toString('utf8'), bytes: body };
}

function readSized(rest: Buffer, headers: Record<string, string>): Buffer | undefined {
  const length = Number(headers['content-length'] ?? 0);
  return rest.length < length ? undefined : rest.subarray(0, length);
}

function readChunks(rest: Buffer): Buffer | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = rest.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(rest.toString('latin1', at, lineEnd), 16);
    const start = lineEnd + 2;
    if (rest.length < start + size + 2) return undefined;
    if (size === 0) return Buffer.concat(chunks);
    chunks.push(rest.subarray(start, start + size));
    at = start + size + 2;
  }
}
