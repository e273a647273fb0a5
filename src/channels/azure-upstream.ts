// Azure OpenAI and Foundry: the v1 API of a resource, where deployments are the names of models, and Claude in the
// Anthropic format beside it. With a key of the resource, or with tokens that Microsoft Entra gives for the secret of an
// application (OAuth client credentials).

import type { Clock } from '../kit/clock.ts';
import { isObject, tryParseJson } from '../kit/json/json.ts';
import type { Quirks } from '../vendors/quirks.ts';
import { withAccessTokens } from './access-tokens.ts';
import { createAnthropicUpstream, createOpenaiUpstream } from './http-upstreams.ts';
import { type Fetch, type HttpSettings, hiddenOf, type Upstream } from './upstream.ts';

const API_PATH = '/openai/v1';
const CLAUDE_PATH = '/anthropic';
const LOGIN = 'https://login.microsoftonline.com';
const SCOPE = 'https://cognitiveservices.azure.com/.default';

/** `apiKey`: a key, or an application as JSON. */
export function createAzureUpstream(
  { baseUrl, apiKey, gatewayId, quirks, clock }: HttpSettings & { quirks: Quirks; clock: Clock },
  fetch: Fetch,
): Upstream {
  const application = apiKey === undefined ? undefined : readEntraApplication(apiKey);
  const key = application ? undefined : apiKey;
  const sent = application ? withAccessTokens({ clock, fetch, request: () => entraTokenRequest(application) }) : fetch;
  // Either address may be written: that of the resource, or that of its API.
  const root = baseUrl.replace(/\/(openai(\/v1)?|anthropic(\/v1)?)$/, '');
  const settings = { apiKey: key, gatewayId };
  const openai = createOpenaiUpstream({ ...settings, baseUrl: root + API_PATH, quirks }, sent);
  const claude = createAnthropicUpstream({ ...settings, baseUrl: root + CLAUDE_PATH, takesBetas: false }, sent);
  return {
    hidden: [...hiddenOf(root, key), ...(application ? [application.clientSecret, application.clientId] : [])],
    listModels: openai.listModels,
    send: (request) => (request.endpoint === 'messages' ? claude : openai).send(request),
  };
}

/** `{"tenant_id": …, "client_id": …, "client_secret": …}`; undefined if the text is something else. */
export function readEntraApplication(text: string) {
  const json = tryParseJson(text);
  if (!isObject(json)) return undefined;
  const { tenant_id: tenant, client_id: clientId, client_secret: clientSecret, token_uri: tokenUrl } = json;
  if (typeof tenant !== 'string' || typeof clientId !== 'string' || typeof clientSecret !== 'string') return undefined;
  const usualUrl = `${LOGIN}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`;
  return { clientId, clientSecret, tokenUrl: typeof tokenUrl === 'string' ? tokenUrl : usualUrl };
}

type EntraApplication = NonNullable<ReturnType<typeof readEntraApplication>>;

export function entraTokenRequest({ clientId, clientSecret, tokenUrl }: EntraApplication) {
  return {
    url: tokenUrl,
    form: { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, scope: SCOPE },
  };
}
