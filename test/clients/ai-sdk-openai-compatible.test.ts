// The AI SDK with the provider that most gateways are told to be used with.

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { KINDS_FOR } from '../support/client-gateway.ts';
import { describeAiSdk } from './describe-ai-sdk.ts';

describeAiSdk({
  name: 'openai-compatible',
  kinds: KINDS_FOR.chat,
  isShapeless: true,
  model: ({ url, key }, id) =>
    createOpenAICompatible({ name: 'gateway', baseURL: `${url}/v1`, apiKey: key, includeUsage: true })(id),
});
