// The AI SDK with OpenAI's own provider as it comes, which uses the responses format.

import { createOpenAI } from '@ai-sdk/openai';
import { KINDS_FOR } from '../support/client-gateway.ts';
import { describeAiSdk } from './describe-ai-sdk.ts';

describeAiSdk({
  name: 'openai()',
  kinds: KINDS_FOR.responses,
  model: ({ url, key }, id) => createOpenAI({ baseURL: `${url}/v1`, apiKey: key })(id),
  // Else it sends ids in place of what was said, and nobody here keeps what was said.
  options: { openai: { store: false } },
});
