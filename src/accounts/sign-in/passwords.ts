// Passwords are kept as argon2id. The work is made slow on purpose, so only so many are worked on at once, and a name that
// nobody has costs as much as one that somebody has.

import { fault } from '../../faults/fault.ts';

export interface PasswordCost {
  memoryKiB: number;
  passes: number;
}

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Without a hash the same work, in vain. */
  verify(password: string, hash: string | null | undefined): Promise<boolean>;
}

/** What OWASP asks for at least: some 30 ms of one core, 19 MB. */
export const PASSWORD_COST: PasswordCost = { memoryKiB: 19_456, passes: 2 };

const AT_ONCE = 4;
const MOST_WAITING = 60;

export function createPasswords({ memoryKiB, passes }: PasswordCost = PASSWORD_COST): Passwords {
  const nobodys = `$argon2id$v=19$m=${memoryKiB},t=${passes},p=1$${'A'.repeat(43)}$${'A'.repeat(43)}`;
  const waiting: (() => void)[] = [];
  let running = 0;

  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (running >= AT_ONCE) {
      if (waiting.length >= MOST_WAITING) throw fault('unavailable', { internal: 'too many passwords at once' });
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running++;
    try {
      return await work();
    } finally {
      // Whoever waits takes over the place.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  }

  const options = { algorithm: 'argon2id', memoryCost: memoryKiB, timeCost: passes } as const;
  return {
    hash: (password) => inTurn(() => Bun.password.hash(plain(password), options)),
    async verify(password, hash) {
      const isRight = await inTurn(() => Bun.password.verify(plain(password), hash ?? nobodys));
      return isRight && typeof hash === 'string';
    },
  };
}

/** The same characters, however a keyboard composes them. */
function plain(password: string): string {
  return password.normalize('NFKC');
}
