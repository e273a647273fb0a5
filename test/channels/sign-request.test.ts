// Signatures for AWS agree with the vendor's published test suite (Signature Version 4).

import { expect, test } from 'bun:test';
import { createSigner, readAwsCredentials, secretsOf } from '../../src/channels/bedrock-upstream.ts';

const ACCESS = 'AKIDEXAMPLE';
const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const TOKEN =
  'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==';
const SCOPE = { region: 'us-east-1', service: 'service', now: () => Date.UTC(2015, 7, 30, 12, 36, 0) };
const keys = { accessKeyId: ACCESS, secretAccessKey: SECRET, sessionToken: undefined };

const post = (path: string) => ({ url: `https://example.amazonaws.com${path}`, headers: {}, body: '' });
const authorization = (signed: string, signature: string) =>
  `AWS4-HMAC-SHA256 Credential=${ACCESS}/20150830/us-east-1/service/aws4_request, SignedHeaders=${signed}, Signature=${signature}`;

test('post-vanilla', async () => {
  const headers = await createSigner(keys, SCOPE)(post('/'));
  expect(headers['x-amz-date']).toBe('20150830T123600Z');
  expect(headers.authorization).toBe(
    authorization('host;x-amz-date', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'),
  );
});

test('post-vanilla-query', async () => {
  const headers = await createSigner(keys, SCOPE)(post('/?Param1=value1'));
  expect(headers.authorization).toBe(
    authorization('host;x-amz-date', '28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11'),
  );
});

test('post-sts-header-before: a session token is signed too', async () => {
  const headers = await createSigner({ ...keys, sessionToken: TOKEN }, SCOPE)(post('/'));
  expect(headers['x-amz-security-token']).toBe(TOKEN);
  expect(headers.authorization).toBe(
    authorization(
      'host;x-amz-date;x-amz-security-token',
      '85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead',
    ),
  );
});

test('the colon of a model id is encoded twice in what is signed', async () => {
  const sign = createSigner(keys, SCOPE);
  const [plain, coded] = await Promise.all([sign(post('/model/a:0/invoke')), sign(post('/model/a%3A0/invoke'))]);
  expect(plain.authorization).not.toBe(coded.authorization ?? '');
});

test('keys derived for one day are not used on the next', async () => {
  let now = Date.UTC(2015, 7, 30, 12, 36, 0);
  const sign = createSigner(keys, { ...SCOPE, now: () => now });
  await sign(post('/'));
  now += 24 * 3_600_000;
  const later = await sign(post('/'));
  const fresh = await createSigner(keys, { ...SCOPE, now: () => now })(post('/'));
  expect(later.authorization).toBe(fresh.authorization ?? '');
});

test('an API key is sent as a bearer token', async () => {
  const headers = await createSigner({ apiKey: 'fake-bedrock-key' }, SCOPE)(post('/'));
  expect(headers).toEqual({ authorization: 'Bearer fake-bedrock-key' });
});

test.each([
  [
    'AKIAFAKEFAKEFAKE0001:fakeSecret/with+signs=',
    { accessKeyId: 'AKIAFAKEFAKEFAKE0001', secretAccessKey: 'fakeSecret/with+signs=', sessionToken: undefined },
  ],
  [
    'ASIAFAKEFAKEFAKE0001:fakeSecret:fakeToken==',
    { accessKeyId: 'ASIAFAKEFAKEFAKE0001', secretAccessKey: 'fakeSecret', sessionToken: 'fakeToken==' },
  ],
  ['fake-bedrock-api-key', { apiKey: 'fake-bedrock-api-key' }],
  ['ABSKfake:not:an:access:key', { apiKey: 'ABSKfake:not:an:access:key' }],
])('the secret %s is read', (secret, credentials) => {
  expect(readAwsCredentials(secret)).toEqual(credentials);
  for (const part of secretsOf(credentials)) expect(secret).toContain(part);
});
