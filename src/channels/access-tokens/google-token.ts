// How to ask Google for an access token with the key of a service account: by a signed statement (RFC 7523).

import { isObject, tryParseJson } from '../../kit/json/json.ts';
import type { TokenRequest } from './access-tokens.ts';

interface ServiceAccount {
  clientEmail: string;
  privateKey: string;
  privateKeyId: string | undefined;
  tokenUrl: string;
}

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const TOKEN_URL = 'https://oauth2.googleapis.com/token';
const LIFE_S = 3_600;
const ALGORITHM = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };

/** The JSON that Google gives for a service account; undefined if the text is something else. */
export function readServiceAccount(text: string): ServiceAccount | undefined {
  const json = tryParseJson(text);
  if (!isObject(json)) return undefined;
  const { client_email: clientEmail, private_key: privateKey, private_key_id: id, token_uri: tokenUrl } = json;
  if (typeof clientEmail !== 'string' || typeof privateKey !== 'string') return undefined;
  return {
    clientEmail,
    privateKey,
    privateKeyId: typeof id === 'string' ? id : undefined,
    tokenUrl: typeof tokenUrl === 'string' ? tokenUrl : TOKEN_URL,
  };
}

export async function googleTokenRequest(account: ServiceAccount, now: number): Promise<TokenRequest> {
  const { clientEmail, privateKeyId, tokenUrl } = account;
  const issuedAt = Math.floor(now / 1_000);
  const head = { alg: 'RS256', typ: 'JWT', ...(privateKeyId === undefined ? {} : { kid: privateKeyId }) };
  const claims = { iss: clientEmail, scope: SCOPE, aud: tokenUrl, iat: issuedAt, exp: issuedAt + LIFE_S };
  const assertion = await signJwt(`${coded(head)}.${coded(claims)}`, account.privateKey);
  return { url: tokenUrl, form: { grant_type: GRANT, assertion } };
}

/** Signs the two parts of a JWT, as base64url with a dot between them, by RS256 (RFC 7515): the whole token. */
export async function signJwt(parts: string, privateKey: string): Promise<string> {
  const der = Buffer.from(privateKey.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  const key = await crypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign']);
  const signature = await crypto.subtle.sign(ALGORITHM, key, Buffer.from(parts));
  return `${parts}.${Buffer.from(signature).toString('base64url')}`;
}

function coded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
