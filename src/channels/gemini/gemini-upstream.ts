// An upstream that speaks Google's own format over HTTP: the model is part of the address, and so is whether the answer is
// streamed. Headers are built here from nothing: of the client's only the trace that its call belongs to travels on.

import { addressBelow } from '../address-below.ts';
import { LOOP_HEADER, withHop } from '../loop-guard.ts';
import { traceHeaders } from '../trace-headers.ts';
import type { Fetch, Upstream } from '../upstream.ts';
import { asEventStream } from './as-event-stream.ts';

export interface GeminiSettings {
  baseUrl: string;
  /** The secret itself, already resolved. */
  apiKey: string | undefined;
  gatewayId: string;
}

export function createGeminiUpstream({ baseUrl, apiKey, gatewayId }: GeminiSettings, fetch: Fetch): Upstream {
  const { host, hostname } = new URL(baseUrl);
  const address = addressBelow(baseUrl);
  return {
    hidden: [host, hostname, ...(apiKey ? [apiKey] : [])],
    async send({ model, body, stream, headers, signal }) {
      const method = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
      const response = await fetch(address(`/${modelPath(model)}:${method}`), {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: stream ? 'text/event-stream' : 'application/json',
          'accept-encoding': 'identity',
          'user-agent': 'ai-gateway-service',
          [LOOP_HEADER]: withHop(headers[LOOP_HEADER], gatewayId),
          ...traceHeaders(headers),
          ...(apiKey ? { 'x-goog-api-key': apiKey } : {}),
        },
        body,
        signal,
        redirect: 'manual',
      });
      return stream ? asEventStream(response) : response;
    },
  };
}

/** The vendor also has collections beside `models`, such as `tunedModels/mine`. No name can leave its place in the path. */
function modelPath(model: string): string {
  const [, collection = 'models', name = ''] = /^(?:(models|tunedModels)\/)?(.*)$/s.exec(model) ?? [];
  return `${collection}/${encodeURIComponent(name)}`;
}
