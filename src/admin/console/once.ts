// Forms that act once. A page that is loaded again sends its form again: cards would be issued twice, a refund paid twice.

import type { Random } from '../../kit/random.ts';

export interface Once {
  /** For a hidden field of a form. */
  ticket(): string;
  /** Whether this form may act: its ticket was issued and is unused. */
  take(ticket: string | null): boolean;
}

const MAX_TICKETS = 10_000;

export function createOnce(random: Random): Once {
  const open = new Set<string>();
  return {
    ticket() {
      const ticket = Buffer.from(random.bytes(16)).toString('base64url');
      open.add(ticket);
      for (const oldest of open) {
        if (open.size <= MAX_TICKETS) break;
        open.delete(oldest);
      }
      return ticket;
    },
    take: (ticket) => open.delete(ticket ?? ''),
  };
}
