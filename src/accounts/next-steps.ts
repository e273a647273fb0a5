// The first calls a new account can make, as lines that run when pasted.

import { FREE_MODEL } from '../catalog/document.ts';

export interface NextStep {
  why: string;
  run: string;
}

export function nextSteps(publicUrl: string, apiKey: string): NextStep[] {
  const auth = `-H 'authorization: Bearer ${apiKey}'`;
  const chat = JSON.stringify({ model: FREE_MODEL, messages: [{ role: 'user', content: 'Hello' }] });
  return [
    {
      why: 'ask the free model; it works at NT$0',
      run: `curl -s ${publicUrl}/v1/chat/completions ${auth} -H 'content-type: application/json' -d '${chat}'`,
    },
    { why: 'list the models this key may use', run: `curl -s ${publicUrl}/v1/models ${auth}` },
    { why: 'see balance and limits', run: `curl -s ${publicUrl}/api/me ${auth}` },
    { why: 'see every request with its channel and cost', run: `curl -s ${publicUrl}/api/usage ${auth}` },
  ];
}
