// Holds and leases, counted a second time: a node admits only while its lease lives, a vendor is called only while the hold of
// the call is open, no account has too many, and a hold that another node has released is never charged.

import type { Database } from 'bun:sqlite';
import { AsyncLocalStorage } from 'node:async_hooks';
import { minNano, type Nano } from '../../src/kit/money.ts';
import type { ReleaseInput, SettleInput } from '../../src/store/operations.ts';
import type { Loss } from '../../src/store/rows.ts';
import { type Committed, type CommitWatch, closeIn } from './commit-watch.ts';
import { LIMITS } from './document.ts';
import { type Violation, violations } from './violation.ts';

const BOOKED_ONCE = 'losses beyond a swept hold are booked once';
const IN_FLIGHT = 'no account has more paid calls in flight than it may';

/** The number of the prompt that is being served. */
export const currentPrompt = new AsyncLocalStorage<string>();

export class OpenHolds implements CommitWatch {
  readonly violations: Violation[] = [];
  readonly reached = {
    'admissions refused for their lease': 0,
    'settlements after a sweep': 0,
    'losses beyond a swept hold': 0,
  };
  readonly #requestOf = new Map<string, string>();
  readonly #nodeOf = new Map<string, string>();
  readonly #leases = new Map<string, number>();
  readonly #open = new Map<string, { accountId: string; free: boolean }>();
  readonly #swept = new Set<string>();
  readonly #heldBy = new Map<string, Nano>();
  /** What a late close had beyond the hold that was swept, and what was booked of it. */
  readonly #dueLate = new Map<string, Nano>();
  readonly #bookedLate = new Map<string, Nano>();

  /** Called where a node asks for the admission. `node`: its name. */
  asked(requestId: string, node: string): void {
    this.#nodeOf.set(requestId, node);
    const prompt = currentPrompt.getStore();
    if (prompt !== undefined) this.#requestOf.set(prompt, requestId);
  }

  committed(operation: Committed): void {
    const { name, input } = operation;
    if (name === 'lease') this.#leases.set(input.nodeId, input.expiresAt);
    else if (name === 'admit') this.#admit(operation);
    else if (name === 'bookLosses') this.#bookLate(input);
    const closed = closeIn(operation);
    if (closed) this.#open.delete(closed.requestId);
    if (closed && name === 'sweep') this.#swept.add(closed.requestId);
    if ((name !== 'settle' && name !== 'release') || !this.#swept.has(input.requestId)) return;
    this.#closeLate(input);
    if (name === 'release') return;
    this.reached['settlements after a sweep']++;
    if (closed) this.#violate('what was swept is not charged', input.requestId);
  }

  #admit({ input, result }: Extract<Committed, { name: 'admit' }>): void {
    if (!result.ok) {
      if (result.reason === 'lease_lost') this.reached['admissions refused for their lease']++;
      return;
    }
    const { requestId, nodeId, accountId, at, charge } = input;
    this.#heldBy.set(requestId, result.held);
    this.#open.set(requestId, { accountId, free: charge.free });
    const inFlight = [...this.#open.values()].filter((one) => one.accountId === accountId && !one.free).length;
    if (inFlight > LIMITS.in_flight) this.#violate(IN_FLIGHT, `${requestId} of ${accountId}: ${inFlight}`);
    const expiresAt = this.#leases.get(nodeId) ?? 0;
    if (expiresAt <= at)
      this.#violate('a node admits only while its lease lives', `${requestId}: ${expiresAt} at ${at}`);
  }

  /** The answer, as far as the hold could pay for it, and all losses. */
  #closeLate({ requestId, ...input }: SettleInput | ReleaseInput): void {
    const held = this.#heldBy.get(requestId) ?? 0n;
    const answer = 'cost' in input ? (input.outcome.upstreamCost ?? minNano(input.cost, held)) : 0n;
    const due = answer + sumOf(input.losses?.items ?? []) - held;
    if (due > 0n) this.#dueLate.set(requestId, due);
  }

  /** At rest. A node that died meanwhile could not book any more. */
  findUnbooked(crashed: ReadonlySet<string>): Violation[] {
    const wrong = [...this.#dueLate].filter(([id, due]) => !this.isOn(id, crashed) && this.#bookedLate.get(id) !== due);
    return violations(
      BOOKED_ONCE,
      wrong.map(([id, due]) => `${id}: ${this.#bookedLate.get(id)} of ${due}`),
    );
  }

  /** The node that the request is or was on is one of these. */
  isOn(requestId: string, nodes: ReadonlySet<string>): boolean {
    return nodes.has(this.#nodeOf.get(requestId) ?? '');
  }

  #bookLate({ requestId, items }: Extract<Committed, { name: 'bookLosses' }>['input']): void {
    this.reached['losses beyond a swept hold']++;
    if (this.#bookedLate.has(requestId)) this.#violate(BOOKED_ONCE, requestId);
    if (!this.#swept.has(requestId)) this.#violate('only a swept hold has losses beyond it', requestId);
    this.#bookedLate.set(requestId, sumOf(items));
  }

  /** Whether a call of the node is in progress. */
  areOn(node: string): boolean {
    return [...this.#open.keys()].some((requestId) => this.#nodeOf.get(requestId) === node);
  }

  /** A vendor is called for this prompt. */
  called(prompt: string): void {
    const requestId = this.#requestOf.get(prompt) ?? 'no request';
    if (!this.#open.has(requestId))
      this.#violate('a vendor is called only while the hold is open', `${prompt}: ${requestId}`);
  }

  /** At rest. */
  findCharged(db: Database): Violation[] {
    const charged = db.query<{ reference: string }, []>(`SELECT reference FROM entries WHERE kind = 'usage'`).all();
    const wrong = charged.map(({ reference }) => reference).filter((requestId) => this.#swept.has(requestId));
    return violations('what was swept is not charged', wrong);
  }

  #violate(invariant: string, detail: string): void {
    this.violations.push({ invariant, detail });
  }
}

function sumOf(items: readonly Loss[]): Nano {
  return items.reduce((sum, { amount }) => sum + amount, 0n);
}
