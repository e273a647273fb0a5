// Secrets and signatures of webhooks, as the Standard Webhooks specification has them.

import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';
/** The specification asks for at least 24 bytes. */
const MIN_SECRET_BYTES = 24;

export function webhookSecretOf(bytes: Uint8Array): string {
  return PREFIX + Buffer.from(bytes).toString('base64');
}

export function isWebhookSecret(text: string): boolean {
  if (!text.startsWith(PREFIX)) return false;
  const encoded = text.slice(PREFIX.length);
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.length >= MIN_SECRET_BYTES && bytes.toString('base64') === encoded;
}

export interface SignedMessage {
  /** The same for every attempt: a receiver recognises a repeated delivery by it. */
  id: string;
  body: string;
}

/** Signed with each secret, so that a receiver may use the old one while a rotation is under way. */
export function webhookHeaders(
  { id, body }: SignedMessage,
  secrets: readonly string[],
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = secrets.map((secret) => `v1,${sign(secret, `${id}.${timestamp}.${body}`)}`);
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(signatures.length > 0 ? { 'webhook-signature': signatures.join(' ') } : {}),
  };
}

function sign(secret: string, text: string): string {
  return createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .update(text)
    .digest('base64');
}
