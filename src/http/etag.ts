// Answers that change seldom: a client that has the newest one gets 304 instead. Each is written once.

import { createHash } from 'node:crypto';
import type { FaultCode } from '../faults/table.ts';
import { text } from '../kit/shapes.ts';

interface Tagged {
  text: string;
  etag: string;
}

/** The common part of calls with such an answer. */
export const taggedCall = {
  tag: 'public',
  requestHeaders: { 'If-None-Match': text.describe('The ETag of an earlier answer.') },
  answerHeaders: ['etag'],
  others: { 304: { result: 'It has not changed.' } },
  faults: ['internal_error'] as FaultCode[],
} as const;

/** `write` makes the answer from a source, which never changes, and from what is the same for all its answers. */
export function taggedAnswers<Source extends object, Rest extends unknown[]>(
  name: string,
  type: string,
  write: (source: Source, ...rest: Rest) => unknown,
) {
  const written = new WeakMap<Source, Tagged>();
  return (request: Request, source: Source, ...rest: Rest): Response => {
    const tagged = written.get(source) ?? tagJson(name, write(source, ...rest));
    written.set(source, tagged);
    const headers = { etag: tagged.etag, 'cache-control': 'public, max-age=0, must-revalidate' };
    if (isKnown(request, tagged.etag)) return new Response(null, { status: 304, headers });
    return new Response(tagged.text, { headers: { ...headers, 'content-type': type } });
  };
}

/** A hash of the text: the same revision number may have another text after a restore or an upgrade. */
function tagJson(name: string, value: unknown): Tagged {
  const json = JSON.stringify(value);
  return { text: json, etag: `"${name}-${createHash('sha256').update(json).digest('hex').slice(0, 16)}"` };
}

function isKnown(request: Request, etag: string): boolean {
  const known = (request.headers.get('if-none-match') ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return known.includes(etag) || known.includes('*');
}
