// The budgets of keys, counted a second time from what the database has committed: what a key and all keys below it have spent
// and hold never exceeds its budget of the day, the month or in total, and no call is refused while its budgets have room. A day
// that a clock has begun is never left again, and what is held over midnight is spent on the day on which it is settled. Each
// session of a key has such a page, too.

import type { Nano } from '../../src/kit/money.ts';
import type { KeyRow } from '../../src/store/rows.ts';
import { type Committed, type CommitWatch, closeIn, dayOf, monthOf } from './commit-watch.ts';
import type { Violation } from './violation.ts';

const SPANS = ['day', 'month', 'total'] as const;
type Span = (typeof SPANS)[number];

interface Page {
  parentId: string | null;
  limits: Partial<Record<Span, Nano>>;
  day: number;
  month: number;
  spent: Record<Span, Nano>;
  held: Nano;
}

interface Session {
  limit: Nano;
  spent: Nano;
  held: Nano;
}

const EXACT = 'what a key and those below it spend and hold is within its budgets';
const EARLY = 'no call is refused while the budgets of its key have room';

export class KeyBudgets implements CommitWatch {
  readonly violations: Violation[] = [];
  readonly reached = {
    'budgets of a new day': 0,
    'calls refused for a budget': 0,
    'calls refused for a budget above the key': 0,
    'calls refused for a budget of a session': 0,
  };
  readonly #pages = new Map<string, Page>();
  /** What a session may spend, by key. */
  readonly #sessionLimits = new Map<string, Nano>();
  readonly #sessions = new Map<string, Session>();
  readonly #holds = new Map<string, { keyId: string; amount: Nano; sessions: readonly string[] }>();

  committed(operation: Committed): void {
    if (operation.name === 'createKey' && operation.result.ok) this.#add(operation.input.key);
    else if (operation.name === 'admit' && !operation.input.charge.free) this.#admit(operation);
    const closed = closeIn(operation);
    const hold = closed && this.#holds.get(closed.requestId);
    if (!closed || !hold) return;
    this.#holds.delete(closed.requestId);
    for (const [, page] of this.#chainOf(hold.keyId, closed.at)) {
      page.held -= hold.amount;
      for (const span of SPANS) page.spent[span] += closed.charged;
    }
    for (const id of hold.sessions) {
      const session = this.#sessionOf(id);
      this.#sessions.set(id, { ...session, spent: session.spent + closed.charged, held: session.held - hold.amount });
    }
  }

  #add({ keyId, parentId, dailyBudget, limits: { monthBudget, totalBudget, sessionBudget } }: KeyRow): void {
    const limits: Page['limits'] = {};
    if (dailyBudget !== null) limits.day = dailyBudget;
    if (monthBudget !== undefined) limits.month = monthBudget;
    if (totalBudget !== undefined) limits.total = totalBudget;
    if (sessionBudget !== undefined) this.#sessionLimits.set(keyId, sessionBudget);
    this.#pages.set(keyId, { parentId, limits, day: 0, month: 0, spent: { day: 0n, month: 0n, total: 0n }, held: 0n });
  }

  #admit({ input, result }: Extract<Committed, { name: 'admit' }>): void {
    const { keyId, requestId, at, chain } = input;
    const sessions = chain?.sessions ?? [];
    if (result.ok) {
      this.#holds.set(requestId, { keyId, amount: result.held, sessions });
      for (const id of sessions) {
        const session = this.#sessionOf(id);
        const held = session.held + result.held;
        this.#sessions.set(id, { ...session, held });
        if (session.spent + held > session.limit) this.#exceeded(id, 'session', requestId);
      }
      for (const [id, page] of this.#chainOf(keyId, at)) {
        page.held += result.held;
        for (const span of SPANS) {
          if (leftOf(page, span) < 0n) this.#exceeded(id, span, requestId);
        }
        if (this.#sessionLimits.has(id) && !sessions.some((session) => session.startsWith(`${id}:`))) {
          this.#exceeded(id, 'no session', requestId);
        }
      }
    } else if (result.reason === 'key_budget_exceeded' || result.reason === 'budget_in_use') {
      const full = [...this.#previewChain(keyId, at)].find(([, page]) =>
        SPANS.some((span) => leftOf(page, span) < result.needed),
      );
      this.reached['calls refused for a budget']++;
      const isFull = ({ limit, spent, held }: Session) => limit - spent - held < result.needed;
      const ofSession = sessions.find((id) => isFull(this.#sessionOf(id)));
      if (!full && ofSession !== undefined) this.reached['calls refused for a budget of a session']++;
      else if (!full) this.violations.push({ invariant: EARLY, detail: `${requestId} of ${keyId}` });
      else if (full[0] !== keyId) this.reached['calls refused for a budget above the key']++;
    }
  }

  #exceeded(id: string, budget: Span | 'session' | 'no session', requestId: string): void {
    this.violations.push({ invariant: EXACT, detail: `${id}: ${budget}, ${requestId}` });
  }

  /** Its page begins with the id of its key. */
  #sessionOf(id: string): Session {
    const [keyId = ''] = id.split(':');
    return this.#sessions.get(id) ?? { limit: this.#sessionLimits.get(keyId) ?? 0n, spent: 0n, held: 0n };
  }

  /** The key itself first; an account's own key has no page. */
  *#chainOf(keyId: string, at: number): Generator<[string, Page]> {
    for (let id: string | null = keyId; id !== null; ) {
      const page: Page | undefined = this.#pages.get(id);
      if (!page) return;
      const begun = turned(page, at);
      if (page.day > 0 && begun.day > page.day) this.reached['budgets of a new day']++;
      Object.assign(page, begun);
      yield [id, page];
      id = page.parentId;
    }
  }

  /** A refused call begins no day. */
  *#previewChain(keyId: string, at: number): Generator<[string, Page]> {
    for (let id: string | null = keyId; id !== null; ) {
      const page: Page | undefined = this.#pages.get(id);
      if (!page) return;
      yield [id, turned(page, at)];
      id = page.parentId;
    }
  }
}

/** As the page stands at that time. */
function turned(page: Page, at: number): Page {
  const day = Math.max(page.day, dayOf(at));
  const month = Math.max(page.month, monthOf(at));
  const spent = {
    day: day > page.day ? 0n : page.spent.day,
    month: month > page.month ? 0n : page.spent.month,
    total: page.spent.total,
  };
  return { ...page, day, month, spent };
}

/** Without a limit, more than any call needs. */
function leftOf({ limits, spent, held }: Page, span: Span): Nano {
  const limit = limits[span];
  return limit === undefined ? 1n << 62n : limit - spent[span] - held;
}
