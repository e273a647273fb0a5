// Credentials of Amazon Bedrock: an API key as a bearer token, or a pair of access keys, with which each request is
// signed (Signature Version 4).

import { AwsV4Signer } from 'aws4fetch';

type AwsCredentials =
  | { apiKey: string }
  | { accessKeyId: string; secretAccessKey: string; sessionToken: string | undefined };

interface SignedRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

interface SignedScope {
  region: string;
  service?: string;
  now(): number;
}

/** `ACCESS_KEY_ID:SECRET_ACCESS_KEY`, and a session token after another colon. Anything else is an API key. */
const ACCESS_KEYS = /^(A[A-Z0-9]{15,127}):([^:\s]+)(?::([^:\s]+))?$/;
const SERVICE = 'bedrock';

export function readAwsCredentials(secret: string): AwsCredentials {
  const [, accessKeyId, secretAccessKey, sessionToken] = ACCESS_KEYS.exec(secret) ?? [];
  return accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey, sessionToken } : { apiKey: secret };
}

/** The parts of the credentials that must not appear in a message. */
export function secretsOf(credentials: AwsCredentials): string[] {
  return Object.values(credentials).filter((value) => value !== undefined);
}

/** A function that adds what proves who sends a request. Derived keys are kept: they change once a day. */
export function createSigner(credentials: AwsCredentials | undefined, scope: SignedScope) {
  const { region, service = SERVICE, now } = scope;
  const cache = new Map<string, ArrayBuffer>();
  let day = '';
  return async ({ url, headers, body }: SignedRequest): Promise<Record<string, string>> => {
    if (!credentials) return headers;
    if ('apiKey' in credentials) return { ...headers, authorization: `Bearer ${credentials.apiKey}` };
    const datetime = amzDate(now());
    if (!datetime.startsWith(day)) cache.clear();
    day = datetime.slice(0, 8);
    const { accessKeyId, secretAccessKey, sessionToken } = credentials;
    const signer = new AwsV4Signer({
      method: 'POST',
      url,
      headers,
      body,
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === undefined ? {} : { sessionToken }),
      service,
      region,
      datetime,
      cache,
    });
    const { headers: signed } = await signer.sign();
    // It is that of the address.
    signed.delete('host');
    return Object.fromEntries(signed);
  };
}

/** 20150830T123600Z */
function amzDate(at: number): string {
  return new Date(at).toISOString().replace(/[-:]|\.\d+/g, '');
}
