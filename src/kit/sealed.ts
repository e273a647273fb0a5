// Secrets at rest. Every purpose derives its own key from the one pepper, so that a value for one purpose is useless
// for another. Literal upstream secrets are sealed with AES-256-GCM, with their owner's name as associated data.

import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import type { Random } from './random.ts';

export type Purpose =
  | 'key'
  | 'card'
  | 'address'
  | 'seal'
  | 'idempotency'
  | 'fingerprint'
  | 'gateway'
  | 'user'
  | 'session'
  | 'conversation'
  | 'quote'
  | 'event';

export function deriveSecret(pepper: string, purpose: Purpose): Buffer {
  return createHmac('sha256', pepper).update(`svc:${purpose}`).digest();
}

/** HMAC-SHA-256 for one purpose, in hexadecimal; the part that depends only on the secret is computed once. */
export function createHasher(pepper: string, purpose: Purpose): (text: string) => string {
  const begin = createHashing(pepper, purpose);
  return (text) => begin().update(text).digest('hex');
}

/** The same for a text that comes in parts. */
export function createHashing(pepper: string, purpose: Purpose): () => Bun.CryptoHasher {
  const begun = new Bun.CryptoHasher('sha256', deriveSecret(pepper, purpose));
  return () => begun.copy();
}

/** A database stores it to recognise its pepper. */
export function fingerprintOf(pepper: string): string {
  return createHasher(pepper, 'fingerprint')('pepper');
}

const IV_BYTES = 12;
const TAG_BYTES = 16;
const PREFIX = 'sealed:';

export function isSealed(text: string): boolean {
  return text.startsWith(PREFIX);
}

export interface Sealer {
  seal(plain: string, owner: string): string;
  /** Undefined if the pepper is a different one, or the text was tampered with. */
  open(sealed: string, owner: string): string | undefined;
}

export function createSealer(pepper: string, random: Random): Sealer {
  const key = deriveSecret(pepper, 'seal');
  return {
    seal(plain, owner) {
      const iv = random.bytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      cipher.setAAD(Buffer.from(owner));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return PREFIX + Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64');
    },
    open(sealed, owner) {
      if (!isSealed(sealed)) return undefined;
      const bytes = Buffer.from(sealed.slice(PREFIX.length), 'base64');
      if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES));
        decipher.setAAD(Buffer.from(owner));
        decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
        return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString();
      } catch {
        return undefined;
      }
    },
  };
}
