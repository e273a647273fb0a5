// Azure OpenAI and Foundry: the v1 API of a resource, where deployments are the names of models, and Claude in the
// Anthropic format beside it. With a key of the resource, or with tokens for an application of Entra.

import type { Clock } from '../../kit/clock.ts';
import type { Quirks } from '../../vendors/quirks.ts';
import { entraTokenRequest, readEntraApplication } from '../access-tokens/entra-token.ts';
import { withAccessTokens } from '../access-tokens/with-access-tokens.ts';
import { createAnthropicUpstream } from '../anthropic/anthropic-upstream.ts';
import { createOpenaiUpstream } from '../openai/openai-upstream.ts';
import { type Fetch, hiddenOf, type Upstream } from '../upstream.ts';

interface AzureSettings {
  baseUrl: string;
  /** The resolved secret: a key, or an application as JSON. */
  apiKey: string | undefined;
  gatewayId: string;
  quirks: Quirks;
  clock: Clock;
}

const API_PATH = '/openai/v1';
const CLAUDE_PATH = '/anthropic';

export function createAzureUpstream(settings: AzureSettings, fetch: Fetch): Upstream {
  const { apiKey, gatewayId, quirks, clock } = settings;
  const application = apiKey === undefined ? undefined : readEntraApplication(apiKey);
  const key = application ? undefined : apiKey;
  const sent = application ? withAccessTokens({ clock, fetch, request: () => entraTokenRequest(application) }) : fetch;
  // Either address may be written: that of the resource, or that of its API.
  const root = settings.baseUrl.replace(/\/(openai(\/v1)?|anthropic(\/v1)?)$/, '');
  const openai = createOpenaiUpstream({ baseUrl: root + API_PATH, apiKey: key, gatewayId, quirks }, sent);
  const claude = createAnthropicUpstream(
    { baseUrl: root + CLAUDE_PATH, apiKey: key, gatewayId, takesBetas: false },
    sent,
  );
  return {
    hidden: [...hiddenOf(root, key), ...(application ? [application.clientSecret, application.clientId] : [])],
    listModels: openai.listModels,
    send: (request) => (request.endpoint === 'messages' ? claude : openai).send(request),
  };
}
