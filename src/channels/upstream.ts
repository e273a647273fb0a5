// A channel seen by the relay: send a body, get a response, as from any web server. The demo channel answers the same
// way without a network, so nothing above knows the difference.

import type { Endpoint } from '../vendors/endpoints.ts';

export interface UpstreamRequest {
  endpoint: Endpoint;
  /** The model's name there; it is also in the body, where the format has it there. */
  model: string;
  /** Taken before `send` answers with its promise: bytes are given back to the system then. */
  body: string;
  stream: boolean;
  /** Headers of the client that are meant for an upstream of its own dialect; each channel takes what it knows. */
  headers: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

export interface Upstream {
  send(request: UpstreamRequest): Promise<Response>;
  /** Its host and its key: removed wherever they stand in its errors. */
  hidden: readonly string[];
}

export function hiddenOf(baseUrl: string, apiKey: string | undefined): string[] {
  const { host, hostname } = new URL(baseUrl);
  return [host, hostname, ...(apiKey ? [apiKey] : [])];
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;
