// GET /openapi.json: the public API for machines. It is the same as long as the process runs, and written once.

import { answerTagged, type Tagged, tagJson } from '../etag.ts';
import type { Exchange, HttpTools } from '../exchange.ts';
import { openapiDocument } from '../openapi/document.ts';

const written = new WeakMap<HttpTools, Tagged>();

export function openapi(tools: HttpTools, { request }: Exchange): Response {
  return answerTagged(request, written.get(tools) ?? write(tools), 'application/json');
}

function write(tools: HttpTools): Tagged {
  const made = tagJson('openapi', openapiDocument(tools));
  written.set(tools, made);
  return made;
}
