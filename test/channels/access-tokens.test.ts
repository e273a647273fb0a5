// Access tokens: signed as the standard's example, asked for once at a time, renewed before their end.

import { expect, test } from 'bun:test';
import { createPrivateKey, createPublicKey, createVerify, generateKeyPairSync } from 'node:crypto';
import { type AccessToken, createAccessTokens } from '../../src/channels/access-tokens.ts';
import { entraTokenRequest, readEntraApplication } from '../../src/channels/azure-upstream.ts';
import { googleTokenRequest, readServiceAccount, signJwt } from '../../src/channels/vertex-upstream.ts';
import { createManualClock } from '../support/manual-clock.ts';

/** The example of RFC 7515, appendix A.2. */
const EXAMPLE = {
  key: {
    kty: 'RSA',
    n: 'ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ',
    e: 'AQAB',
    d: 'Eq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyWPEAeP88vLNO97IjlA7_GQ5sLKMgvfTeXZx9SE-7YwVol2NXOoAJe46sui395IW_GO-pWJ1O0BkTGoVEn2bKVRUCgu-GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzjkn439X0M_V51gfpRLI9JYanrC4D4qAdGcopV_0ZHHzQlBjudU2QvXt4ehNYTCBr6XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl_x_jTj3ccPDVZFD9pIuhLhBOneufuBiB4cS98l2SR_RQyGWSeWjnczT0QU91p1DhOVRuOopznQ',
    p: '4BzEEOtIpmVdVEZNCqS7baC4crd0pqnRH_5IB3jw3bcxGn6QLvnEtfdUdiYrqBdss1l58BQ3KhooKeQTa9AB0Hw_Py5PJdTJNPY8cQn7ouZ2KKDcmnPGBY5t7yLc1QlQ5xHdwW1VhvKn-nXqhJTBgIPgtldC-KDV5z-y2XDwGUc',
    q: 'uQPEfgmVtjL0Uyyx88GZFF1fOunH3-7cepKmtH4pxhtCoHqpWmT8YAmZxaewHgHAjLYsp1ZSe7zFYHj7C6ul7TjeLQeZD_YwD66t62wDmpe_HlB-TnBA-njbglfIsRLtXlnDzQkv5dTltRJ11BKBBypeeF6689rjcJIDEz9RWdc',
    dp: 'BwKfV3Akq5_MFZDFZCnW-wzl-CCo83WoZvnLQwCTeDv8uzluRSnm71I3QCLdhrqE2e9YkxvuxdBfpT_PI7Yz-FOKnu1R6HsJeDCjn12Sk3vmAktV2zb34MCdy7cpdTh_YVr7tss2u6vneTwrA86rZtu5Mbr1C1XsmvkxHQAdYo0',
    dq: 'h_96-mK1R_7glhsum81dZxjTnYynPbZpHziZjeeHcXYsXaaMwkOlODsWa7I9xXDoRwbKgB719rrmI2oKr6N3Do9U0ajaHF-NKJnwgjMd2w9cjz3_-kyNlxAr2v4IKhGNpmM5iIgOS1VZnOZ68m6_pbLBSp3nssTdlqvd0tIiTHU',
    qi: 'IYd7DHOhrWvxkwPQsRM2tOgrjbcrfvtQJipd-DlcxyVuuM9sQLdgjVk2oy26F0EmpScGLq2MowX7fhd_QJQ3ydy5cY7YIBi87w93IKLEdfnbJtoOPLUW0ITrJReOgo1cq9SbsxYawBgfp_gh6A5603k2-ZQwVK0JKSHuLFkuQ3U',
  },
  parts:
    'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ',
  signature:
    'cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw',
};

test('the signature of the standard', () => {
  const pem = createPrivateKey({ key: EXAMPLE.key, format: 'jwk' }).export({ type: 'pkcs8', format: 'pem' });
  expect(signJwt(EXAMPLE.parts, String(pem))).toBe(`${EXAMPLE.parts}.${EXAMPLE.signature}`);
});

test('a service account says who it is, for what and how long', () => {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const privateKey = pair.privateKey.export({ type: 'pkcs8', format: 'pem' });
  const tokenUrl = 'https://tokens.example/token';
  const file = {
    client_email: 'me@project.example',
    private_key: privateKey,
    private_key_id: 'k1',
    token_uri: tokenUrl,
  };
  const account = readServiceAccount(JSON.stringify({ type: 'service_account', ...file }, null, 2));
  if (!account) throw new Error('it was not read');
  const { url, form } = googleTokenRequest(account, 1_700_000_000_500);
  expect(url).toBe(tokenUrl);
  expect(form.grant_type).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
  const [head = '', claims = '', signature = ''] = (form.assertion ?? '').split('.');
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  expect(read(head)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'k1' });
  expect(read(claims)).toEqual({
    iss: file.client_email,
    scope: 'https://www.googleapis.com/auth/cloud-platform',
    aud: tokenUrl,
    iat: 1_700_000_000,
    exp: 1_700_003_600,
  });
  const check = createVerify('RSA-SHA256').update(`${head}.${claims}`);
  expect(check.verify(createPublicKey(pair.privateKey), Buffer.from(signature, 'base64url'))).toBe(true);
});

test('a key in the older form of OpenSSL signs as well', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const signed = signJwt('a.b', String(privateKey.export({ type: 'pkcs1', format: 'pem' })));
  const check = createVerify('RSA-SHA256').update('a.b');
  expect(check.verify(publicKey, Buffer.from(signed.slice('a.b.'.length), 'base64url'))).toBe(true);
});

/** `crypto.subtle` leaves an error of its parser behind, at which the next hash of the process then fails. */
test.each(['', 'no key', 'MIIEvgIBADANBgkqhkiG9w0BAQEFAASC'])(
  'the private key %j is refused, and no later hash fails because of it',
  async (privateKey) => {
    const account = readServiceAccount(JSON.stringify({ client_email: 'me@project.example', private_key: privateKey }));
    if (!account) throw new Error('it was not read');
    const next = createAccessTokens({
      clock: createManualClock(0),
      request: (now) => googleTokenRequest(account, now),
      fetch: () => Promise.reject(new Error('nothing is asked')),
    });
    const found = await next();
    if (found.ok) throw new Error('a token');
    expect(new Bun.CryptoHasher('sha256', 'pepper').copy().update('x').digest('hex')).toHaveLength(64);
    expect(found.response.status).toBe(401);
    expect((await found.response.json()).error.type).toBe('authentication_error');
  },
);

test.each(['', 'two\r\nlines', 'ключ'])('the token %j, which no header can carry, is none', async (token) => {
  const { state, next, answer } = tokenSource();
  state.fail = () => Response.json({ access_token: token });
  const asked = next();
  await answer();
  expect(textOf(await asked)).toBe(503);
});

test('an application of Entra asks with its secret', () => {
  const application = readEntraApplication('{"tenant_id":"t/1","client_id":"c1","client_secret":"fake-secret"}');
  if (!application) throw new Error('it was not read');
  expect(entraTokenRequest(application)).toEqual({
    url: 'https://login.microsoftonline.com/t%2F1/oauth2/v2.0/token',
    form: {
      grant_type: 'client_credentials',
      client_id: 'c1',
      client_secret: 'fake-secret',
      scope: 'https://cognitiveservices.azure.com/.default',
    },
  });
});

test.each(['fake-plain-key', '{"client_email":"only"}', '[]', '{'])('%s is no credentials in JSON', (text) => {
  expect(readServiceAccount(text)).toBeUndefined();
  expect(readEntraApplication(text)).toBeUndefined();
});

/** Tokens of an hour, numbered; `fail` makes the next requests fail. */
function tokenSource() {
  const clock = createManualClock(0);
  const state = { asked: 0, fail: undefined as (() => Response) | undefined };
  const answers: (() => void)[] = [];
  const next = createAccessTokens({
    clock,
    request: () => ({ url: 'https://tokens.example/', form: { a: 'b c' } }),
    fetch: async (_url, init) => {
      expect(init.body).toBe('a=b+c');
      const number = ++state.asked;
      await new Promise<void>((resolve) => answers.push(resolve));
      return state.fail?.() ?? Response.json({ access_token: `token-${number}`, expires_in: 3_600 });
    },
  });
  const answer = async () => {
    // The request is made after the form has been awaited.
    await Bun.sleep(0);
    for (const resolve of answers.splice(0)) resolve();
  };
  return { clock, state, next, answer };
}

const textOf = (found: AccessToken) => (found.ok ? found.token : found.response.status);

test('a hundred calls at once ask once', async () => {
  const { state, next, answer } = tokenSource();
  const calls = Array.from({ length: 100 }, () => next());
  await answer();
  expect(new Set((await Promise.all(calls)).map(textOf))).toEqual(new Set(['token-1']));
  expect(state.asked).toBe(1);
});

test('it is renewed in its last five minutes while it is still used, and awaited at its end', async () => {
  const { clock, state, next, answer } = tokenSource();
  const first = next();
  await answer();
  expect(textOf(await first)).toBe('token-1');
  await clock.advance(54 * 60_000);
  expect(textOf(await next())).toBe('token-1');
  expect(state.asked).toBe(1);
  await clock.advance(2 * 60_000);
  expect(textOf(await next())).toBe('token-1');
  expect(textOf(await next())).toBe('token-1');
  await Bun.sleep(0);
  expect(state.asked).toBe(2);
  await answer();
  await Bun.sleep(0);
  expect(textOf(await next())).toBe('token-2');
  await clock.advance(60 * 60_000);
  const late = next();
  await answer();
  expect(textOf(await late)).toBe('token-3');
});

test('a renewal that fails does not matter while the token works', async () => {
  const { clock, state, next, answer } = tokenSource();
  const first = next();
  await answer();
  await first;
  await clock.advance(56 * 60_000);
  state.fail = () => new Response('no', { status: 500 });
  expect(textOf(await next())).toBe('token-1');
  await answer();
  await Bun.sleep(0);
  expect(textOf(await next())).toBe('token-1');
});

test.each([
  [400, 401, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' }],
  [500, 503, {}],
  [429, 503, {}],
])('a refusal of %d is one of %d', async (status, shown, body) => {
  const { state, next, answer } = tokenSource();
  state.fail = () => Response.json(body, { status });
  const asked = next();
  await answer();
  const found = await asked;
  if (found.ok) throw new Error('a token');
  expect(found.response.status).toBe(shown);
  // The next call asks again.
  state.fail = undefined;
  const again = next();
  await answer();
  expect(textOf(await again)).toBe('token-2');
});

test('each of the calls that wait for a token can read why there is none', async () => {
  const { state, next, answer } = tokenSource();
  state.fail = () => Response.json({ error: 'invalid_grant' }, { status: 400 });
  const calls = [next(), next(), next()];
  await answer();
  for (const found of await Promise.all(calls)) {
    if (found.ok) throw new Error('a token');
    expect(await found.response.json()).toEqual({ error: { type: 'authentication_error', message: 'invalid_grant' } });
  }
  expect(state.asked).toBe(1);
});

test('a call that ends stops waiting, and the others get the token', async () => {
  const { state, next, answer } = tokenSource();
  const ended = new AbortController();
  const first = next(ended.signal).then(textOf, () => 'stopped');
  const second = next(new AbortController().signal);
  ended.abort();
  await answer();
  expect(await first).toBe('stopped');
  expect(textOf(await second)).toBe('token-1');
  expect(state.asked).toBe(1);
});
