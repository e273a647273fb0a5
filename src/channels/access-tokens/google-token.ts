// How to ask Google for an access token with the key of a service account: by a signed statement (RFC 7523).

import { createPrivateKey, sign } from 'node:crypto';
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
const ALGORITHM = 'RSA-SHA256';

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

export function googleTokenRequest(account: ServiceAccount, now: number): TokenRequest {
  const { clientEmail, privateKeyId, tokenUrl } = account;
  const issuedAt = Math.floor(now / 1_000);
  const head = { alg: 'RS256', typ: 'JWT', ...(privateKeyId === undefined ? {} : { kid: privateKeyId }) };
  const claims = { iss: clientEmail, scope: SCOPE, aud: tokenUrl, iat: issuedAt, exp: issuedAt + LIFE_S };
  const assertion = signJwt(`${coded(head)}.${coded(claims)}`, account.privateKey);
  return { url: tokenUrl, form: { grant_type: GRANT, assertion } };
}

/**
 * Signs the two parts of a JWT, as base64url with a dot between them, by RS256 (RFC 7515): the whole token. Throws if the key
 * cannot be read. `crypto.subtle` is not used for it: such a key leaves an error there, at which an unrelated hash then fails.
 */
export function signJwt(parts: string, privateKey: string): string {
  const der = Buffer.from(privateKey.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  const type = privateKey.includes('BEGIN RSA') ? 'pkcs1' : 'pkcs8';
  const key = createPrivateKey({ key: der, format: 'der', type });
  return `${parts}.${sign(ALGORITHM, Buffer.from(parts), key).toString('base64url')}`;
}

function coded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
