// GET /openapi.json: the public API for machines. It is the same as long as the process runs, and written once.

import { createHash } from 'node:crypto';
import { isKnown } from '../etag.ts';
import type { Exchange, HttpTools } from '../exchange.ts';
import { openapiDocument } from '../openapi/document.ts';

interface Written {
  text: string;
  etag: string;
}

const written = new WeakMap<HttpTools, Written>();

export function openapi(tools: HttpTools, { request }: Exchange): Response {
  const { text, etag } = written.get(tools) ?? write(tools);
  const headers = { etag, 'cache-control': 'public, max-age=0, must-revalidate' };
  if (isKnown(request, etag)) return new Response(null, { status: 304, headers });
  return new Response(text, { headers: { ...headers, 'content-type': 'application/json' } });
}

function write(tools: HttpTools): Written {
  const text = JSON.stringify(openapiDocument(tools));
  const made = { text, etag: `"openapi-${createHash('sha256').update(text).digest('hex').slice(0, 16)}"` };
  written.set(tools, made);
  return made;
}
