// The AI SDK with Anthropic's provider.

import { createAnthropic } from '@ai-sdk/anthropic';
import { KINDS_FOR } from '../support/client-gateway.ts';
import { describeAiSdk } from './describe-ai-sdk.ts';

describeAiSdk({
  name: 'anthropic()',
  kinds: KINDS_FOR.messages,
  // Its base URL ends with the version.
  model: ({ url, key }, id) => createAnthropic({ baseURL: `${url}/v1`, apiKey: key })(id),
});
