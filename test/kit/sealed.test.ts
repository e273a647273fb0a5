import { describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { systemRandom } from '../../src/kit/random.ts';
import { createHasher, createSealer, deriveSecret, type Purpose } from '../../src/kit/sealed.ts';

const PEPPER = 'a-pepper-for-tests-only';
const SECRET = 'sk-fake-upstream-secret';
const sealer = createSealer(PEPPER, systemRandom);

const anyText = fc.string({ unit: 'grapheme', maxLength: 200 });

describe('sealing', () => {
  test('what was sealed for an owner opens for that owner', () => {
    fc.assert(fc.property(anyText, anyText, (plain, owner) => sealer.open(sealer.seal(plain, owner), owner) === plain));
  });

  test('it does not open for another owner', () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (plain, owner, other) => {
        fc.pre(owner !== other);
        expect(sealer.open(sealer.seal(plain, owner), other)).toBeUndefined();
      }),
    );
  });

  test('it does not open under another pepper', () => {
    const stranger = createSealer('another-pepper-for-tests', systemRandom);
    expect(stranger.open(sealer.seal(SECRET, 'openai'), 'openai')).toBeUndefined();
  });

  test('no single byte of it can be changed: not the nonce, the tag or the body', () => {
    const sealed = sealer.seal(SECRET, 'openai');
    const bytes = Buffer.from(sealed.slice('sealed:'.length), 'base64');
    for (let at = 0; at < bytes.length; at++) {
      const tampered = Buffer.from(bytes);
      tampered[at] = (tampered[at] ?? 0) ^ 1;
      expect(sealer.open(`sealed:${tampered.toString('base64')}`, 'openai')).toBeUndefined();
    }
  });

  test('what is cut short, empty or not sealed at all does not open, and nothing is thrown', () => {
    const sealed = sealer.seal(SECRET, 'openai');
    for (let end = 0; end < sealed.length - 4; end += 3) {
      expect(sealer.open(sealed.slice(0, end), 'openai')).toBeUndefined();
    }
    for (const text of ['', 'sealed:', SECRET, 'sealed:not base64 at all!', `Sealed:${sealed.slice(7)}`]) {
      expect(sealer.open(text, 'openai')).toBeUndefined();
    }
  });

  test('the sealed text reveals nothing: no plain text in it, and never the same twice', () => {
    const sealed = Array.from({ length: 50 }, () => sealer.seal(SECRET, 'openai'));
    expect(new Set(sealed).size).toBe(50);
    for (const text of sealed) {
      expect(Buffer.from(text.slice('sealed:'.length), 'base64').includes(SECRET)).toBe(false);
    }
  });
});

describe('derived secrets', () => {
  const purposes: Purpose[] = ['key', 'card', 'address', 'seal', 'idempotency'];

  test('each purpose has its own, 256 bits long, and another pepper gives others', () => {
    const secrets = [PEPPER, 'another-pepper-for-tests'].flatMap((pepper) =>
      purposes.map((purpose) => deriveSecret(pepper, purpose)),
    );
    expect(new Set(secrets.map((secret) => secret.toString('hex'))).size).toBe(purposes.length * 2);
    for (const secret of secrets) expect(secret).toHaveLength(32);
  });

  test('the hash of a text is stable for one purpose and different for another', () => {
    const hash = createHasher(PEPPER, 'key');
    expect(hash('text')).toMatch(/^[0-9a-f]{64}$/);
    expect(hash('text')).toBe(createHasher(PEPPER, 'key')('text'));
    expect(hash('text')).not.toBe(hash('texts'));
    expect(hash('text')).not.toBe(createHasher(PEPPER, 'card')('text'));
  });

  test('it is the HMAC that any other program would make of it', () => {
    const secret = deriveSecret(PEPPER, 'key');
    const hash = createHasher(PEPPER, 'key');
    for (const text of ['', 'text', '鑰匙'.repeat(100)]) {
      expect(hash(text)).toBe(createHmac('sha256', secret).update(text).digest('hex'));
    }
  });
});
