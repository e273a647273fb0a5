// How to ask Microsoft Entra for an access token with the secret of an application (OAuth client credentials).

import { isObject, tryParseJson } from '../../kit/json/json.ts';
import type { TokenRequest } from './access-tokens.ts';

interface EntraApplication {
  clientId: string;
  clientSecret: string;
  tokenUrl: string;
}

const LOGIN = 'https://login.microsoftonline.com';
const SCOPE = 'https://cognitiveservices.azure.com/.default';

/** `{"tenant_id": …, "client_id": …, "client_secret": …}`; undefined if the text is something else. */
export function readEntraApplication(text: string): EntraApplication | undefined {
  const json = tryParseJson(text);
  if (!isObject(json)) return undefined;
  const { tenant_id: tenant, client_id: clientId, client_secret: clientSecret, token_uri: tokenUrl } = json;
  if (typeof tenant !== 'string' || typeof clientId !== 'string' || typeof clientSecret !== 'string') return undefined;
  return {
    clientId,
    clientSecret,
    tokenUrl: typeof tokenUrl === 'string' ? tokenUrl : `${LOGIN}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`,
  };
}

export function entraTokenRequest({ clientId, clientSecret, tokenUrl }: EntraApplication): TokenRequest {
  return {
    url: tokenUrl,
    form: { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, scope: SCOPE },
  };
}
