// Calls with a short prompt for the actions of a fault, at the endpoint of the call that failed: the client's own prompt is
// not repeated in an error.

import type { FaultAction } from './table.ts';

export interface SampledEndpoint {
  endpoint: string;
  /** The client's field for the prompt. */
  promptField: 'messages' | 'input' | 'prompt';
  /** What the call needs in order to count as the client's own does. */
  headers?: FaultAction['headers'];
}

type Sample = Required<Pick<FaultAction, 'method' | 'path' | 'body'>> & Pick<FaultAction, 'headers'>;

export function sampleCall(
  { endpoint, promptField, headers }: SampledEndpoint,
  fields: Record<string, unknown>,
): Sample {
  const prompt = promptField === 'messages' ? [{ role: 'user', content: 'Hi' }] : 'Hi';
  const body = { ...fields, [promptField]: prompt };
  return { method: 'POST', path: endpoint, ...(headers && { headers }), body };
}

/** `model`: its id in the catalog. */
export function newQuote(sampled: SampledEndpoint, model: string): FaultAction {
  // The Anthropic format requires an output limit.
  const bound = sampled.endpoint === '/v1/messages' ? { max_tokens: 100 } : {};
  const { path, body } = sampleCall(sampled, { model, ...bound });
  return {
    method: 'POST',
    path: '/api/quote',
    body: { endpoint: path, body },
    why: 'get a quote for the call as it will be sent',
  };
}
