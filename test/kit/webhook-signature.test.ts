// Signatures of webhooks: two libraries that others use accept them, and refuse what was changed on the way.

import { describe, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { Webhook } from 'standardwebhooks';
import { systemRandom } from '../../src/kit/random.ts';
import { isWebhookSecret, webhookHeaders, webhookSecretOf } from '../../src/kit/webhook-signature.ts';

const client = new OpenAI({ apiKey: 'none' });
const message = { id: 'evt_1', body: JSON.stringify({ id: 'evt_1', type: 'balance.low', data: { text: '餘額 ✓' } }) };
const secret = webhookSecretOf(systemRandom.bytes(32));
const other = webhookSecretOf(systemRandom.bytes(32));

const verifiers = {
  standardwebhooks: async (body: string, headers: Record<string, string>, with_: string) =>
    new Webhook(with_).verify(body, headers),
  openai: async (body: string, headers: Record<string, string>, with_: string) =>
    client.webhooks.unwrap(body, headers, with_),
};

describe.each(Object.entries(verifiers))('%s', (_, verify) => {
  test('accepts a signature, with the new and the old secret', async () => {
    const headers = webhookHeaders(message, [secret, other], Date.now());
    expect(await verify(message.body, headers, secret)).toMatchObject({ type: 'balance.low' });
    expect(await verify(message.body, headers, other)).toMatchObject({ data: { text: '餘額 ✓' } });
  });

  interface Otherwise {
    body?: string;
    id?: string;
    now?: number;
    secrets?: string[];
  }
  test.each<[string, Otherwise]>([
    ['another body', { body: message.body.replace('low', 'high') }],
    ['another id', { id: 'evt_2' }],
    ['a time long ago', { now: Date.now() - 3_600_000 }],
    ['another secret', { secrets: [other] }],
  ])('refuses %s', async (_name, { body = message.body, id = message.id, now = Date.now(), secrets = [secret] }) => {
    const headers = { ...webhookHeaders(message, secrets, now), 'webhook-id': id };
    await expect(verify(body, headers, secret)).rejects.toThrow();
  });
});

test('without a secret there is no signature', () => {
  expect(webhookHeaders(message, [], 1_500)).toEqual({ 'webhook-id': 'evt_1', 'webhook-timestamp': '1' });
});

test('a secret has 32 random bytes', () => {
  expect(isWebhookSecret(secret)).toBe(true);
  expect(secret).not.toBe(other);
  expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
});

test.each(['whsec_', 'whsec_c2hvcnQ=', `whsec_${'A'.repeat(31)}`, 'A'.repeat(44), `whsec_${'!'.repeat(44)}`])(
  '%s is no secret',
  (text) => expect(isWebhookSecret(text)).toBe(false),
);
