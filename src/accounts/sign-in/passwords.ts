// Passwords are stored as argon2id hashes. Hashing is slow on purpose, so concurrency is bounded, and an unknown name
// costs as much as a known one.

import { fault } from '../../faults/fault.ts';

interface PasswordCost {
  memoryKiB: number;
  passes: number;
}

export type Passwords = ReturnType<typeof createPasswords>;

/** The OWASP minimum: about 30 ms of one core, 19 MB. */
export const PASSWORD_COST: PasswordCost = { memoryKiB: 19_456, passes: 2 };

const MAX_RUNNING = 4;
const MAX_WAITING = 60;

export function createPasswords({ memoryKiB, passes }: PasswordCost = PASSWORD_COST) {
  const dummyHash = `$argon2id$v=19$m=${memoryKiB},t=${passes},p=1$${'A'.repeat(43)}$${'A'.repeat(43)}`;
  const waiting: (() => void)[] = [];
  let running = 0;

  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (running >= MAX_RUNNING) {
      if (waiting.length >= MAX_WAITING) throw fault('unavailable', { internal: 'too many passwords at once' });
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running++;
    try {
      return await work();
    } finally {
      // Hands the slot to the next in the queue.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  }

  const options = { algorithm: 'argon2id', memoryCost: memoryKiB, timeCost: passes } as const;
  return {
    hash: (password: string) => inTurn(() => Bun.password.hash(plain(password), options)),
    /** Without a hash it does the same work and returns false. */
    async verify(password: string, hash: string | null | undefined): Promise<boolean> {
      const isRight = await inTurn(() => Bun.password.verify(plain(password), hash ?? dummyHash));
      return isRight && typeof hash === 'string';
    },
  };
}

/** Keyboards compose the same characters differently. */
function plain(password: string): string {
  return password.normalize('NFKC');
}
