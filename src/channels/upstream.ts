// A channel as the relay sees it: send a body, get an HTTP response. The demo channel behaves the same without a
// network.

import type { UpstreamEndpoint } from '../vendors/endpoints.ts';

export interface UpstreamRequest {
  endpoint: UpstreamEndpoint;
  /** The model's name at the upstream; also in the body if the format has it there. */
  model: string;
  /** Read before `send` returns its promise: the memory may be reused afterwards. */
  body: string;
  /** In place of `body`, for an endpoint that takes files. */
  form?: { bytes: Blob; contentType: string };
  stream: boolean;
  /** Client headers for an upstream of the same dialect; each channel picks those it supports. */
  headers: Readonly<Record<string, string>>;
  signal: AbortSignal;
  /** The gateway's own count of the input tokens, for a channel without a model that counts them. */
  estimateInput?(): number;
}

export interface Upstream {
  send(request: UpstreamRequest): Promise<Response>;
  /** Asks for the names of its models. */
  listModels(signal: AbortSignal): Promise<Response>;
  /** Reads another path of its host, with our key; absent for kinds of which no such path is known. */
  readAt?(path: string, signal: AbortSignal): Promise<Response>;
  /** Its host and key, which are removed from its errors. */
  hidden: readonly string[];
}

export function hiddenOf(baseUrl: string, apiKey: string | undefined): string[] {
  const { host, hostname } = new URL(baseUrl);
  return [host, hostname, ...(apiKey ? [apiKey] : [])];
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;
