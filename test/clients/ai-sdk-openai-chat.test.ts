// The AI SDK with OpenAI's own provider, told to use the chat format.

import { createOpenAI } from '@ai-sdk/openai';
import { KINDS_FOR } from '../support/client-gateway.ts';
import { describeAiSdk } from './describe-ai-sdk.ts';

describeAiSdk({
  name: 'openai.chat()',
  kinds: KINDS_FOR.chat,
  model: ({ url, key }, id) => createOpenAI({ baseURL: `${url}/v1`, apiKey: key }).chat(id),
});
