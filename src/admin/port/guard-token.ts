// The token of the operator's port. A wrong token is answered with a delay; after ten in a minute, further ones are refused
// unchecked. The right token always passes, or any process of this machine could lock the operator out.

import { createHash, timingSafeEqual } from 'node:crypto';
import { type Clock, MINUTE_MS, sleep } from '../../kit/clock.ts';
import { createCounter } from '../../limits/counter.ts';
import { PortRefused } from './refused.ts';

/** Takes what a header or a page of sign-in has. */
export type CheckToken = (given: string | undefined) => Promise<void>;

const WRONG_PER_MINUTE = 10;
const SLOWED_BY_MS = 1_000;
/** All callers are on this machine, so there is one counter. */
const ANYONE = 'anyone';

export function tokenIn(headers: Headers): string | undefined {
  return /^Bearer\s+(\S+)\s*$/i.exec(headers.get('authorization') ?? '')?.[1];
}

/** The returned check throws PortRefused. */
export function createCheckToken(clock: Clock, token: string): CheckToken {
  const expected = digest(token);
  const wrong = createCounter({ clock, spanMs: MINUTE_MS, maxSubjects: 1 });
  return async (given) => {
    if (given !== undefined && timingSafeEqual(digest(given), expected)) return;
    if (!wrong.take(ANYONE, WRONG_PER_MINUTE)) {
      throw new PortRefused(
        429,
        'rate_limited',
        'Too many wrong operator secrets were sent. Wait a minute, then retry.',
        {
          headers: { 'retry-after': String(Math.max(1, Math.ceil(wrong.waitS(ANYONE, WRONG_PER_MINUTE)))) },
        },
      );
    }
    await sleep(clock, SLOWED_BY_MS);
    throw new PortRefused(
      401,
      'invalid_admin_token',
      'The operator secret is missing or wrong. Send it as "Authorization: Bearer …".',
      {
        headers: { 'www-authenticate': 'Bearer realm="operator"' },
      },
    );
  };
}

/** Always of the same length, so that the time of the comparison reveals nothing. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
