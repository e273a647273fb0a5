// Answers that change seldom: who has the newest one is told so, in place of getting it again.

import { createHash } from 'node:crypto';

export interface Tagged {
  text: string;
  etag: string;
}

/** The tag is of the text itself: a number such as a revision's may stand for another text after a restore or an upgrade. */
export function tagJson(name: string, value: unknown): Tagged {
  const text = JSON.stringify(value);
  return { text, etag: `"${name}-${createHash('sha256').update(text).digest('hex').slice(0, 16)}"` };
}

export function answerTagged(request: Request, { text, etag }: Tagged, type: string): Response {
  const headers = { etag, 'cache-control': 'public, max-age=0, must-revalidate' };
  if (isKnown(request, etag)) return new Response(null, { status: 304, headers });
  return new Response(text, { headers: { ...headers, 'content-type': type } });
}

function isKnown(request: Request, etag: string): boolean {
  const known = (request.headers.get('if-none-match') ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return known.includes(etag) || known.includes('*');
}
