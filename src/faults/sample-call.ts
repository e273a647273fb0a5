// Calls with a short prompt for the actions of a fault, at the endpoint of the call that failed: the client's own prompt is
// not repeated in an error.

import type { FaultAction } from './table.ts';

export interface SampledEndpoint {
  endpoint: string;
  /** The client's field for the prompt. */
  promptField: 'messages' | 'input' | 'prompt' | 'contents' | 'content' | 'documents';
  /** Headers without which the call would not count as the client's own. */
  headers?: FaultAction['headers'];
}

const PROMPTS: Partial<Record<SampledEndpoint['promptField'], Record<string, unknown>>> = {
  messages: { messages: [{ role: 'user', content: 'Hi' }] },
  documents: { query: 'Hi', documents: ['Hi'] },
};
/** Other required fields by endpoint. */
const NEEDED: Readonly<Record<string, Record<string, unknown>>> = { '/v1/audio/speech': { voice: 'alloy' } };

/** The path of a Gemini call has the model in it: the same call in the OpenAI format is simpler to send. */
const OF_GEMINI: Partial<Record<SampledEndpoint['promptField'], SampledEndpoint>> = {
  contents: { endpoint: '/v1/chat/completions', promptField: 'messages' },
  content: { endpoint: '/v1/embeddings', promptField: 'input' },
};

type Sample = Required<Pick<FaultAction, 'method' | 'path' | 'body'>> & Pick<FaultAction, 'headers'>;

export function sampleCall(sampled: SampledEndpoint, fields: Record<string, unknown>): Sample {
  const { headers } = sampled;
  const { endpoint, promptField } = OF_GEMINI[sampled.promptField] ?? sampled;
  const body = { ...fields, ...(PROMPTS[promptField] ?? { [promptField]: 'Hi' }), ...NEEDED[endpoint] };
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
