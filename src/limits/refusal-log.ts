// Refused requests on their way to the store: counts by key and code, and the newest requests of each account. What a flood
// of refusals can add between two writes is bounded, whoever sends it.

import type { Clock } from '../kit/clock.ts';
import { taipeiDay } from '../kit/taipei.ts';
import {
  KEPT_PER_ACCOUNT,
  KEPT_WITHOUT_ACCOUNT,
  type RefusalBatch,
  type RefusalCount,
  type RefusedRequest,
} from '../store/refusals.ts';

/** Its time is set here. */
export type Refusal = Omit<RefusedRequest, 'at'>;

export interface RefusalLog {
  record(refusal: Refusal): void;
  /** What was recorded since the last call, in batches that are quick to write. */
  take(): RefusalBatch[];
  /** A batch that could not be written. */
  giveBack(batch: RefusalBatch): void;
}

/** Beyond this, refusals of further keys are counted without their account. */
const MAX_COUNTS = 5_000;
/** Beyond this, requests of further accounts are counted only. */
const MAX_REQUESTS = 10_000;
const BATCH_ROWS = 500;

export function createRefusalLog(clock: Clock): RefusalLog {
  let counts = new Map<string, RefusalCount>();
  /** By account. */
  let newest = new Map<string, NewestRequests>();
  let kept = 0;

  function addCount(count: RefusalCount): void {
    const { keyId, code, day, refused } = count;
    const name = nameOf(keyId, code, day);
    const known = counts.get(name);
    if (known) known.refused += refused;
    else if (counts.size < MAX_COUNTS || keyId === '') counts.set(name, { ...count });
    else addCount({ ...count, accountId: '', keyId: '' });
  }

  function ofAccount(accountId: string): NewestRequests | undefined {
    const known = newest.get(accountId);
    if (known || kept >= MAX_REQUESTS) return known;
    const begun = new NewestRequests(accountId === '' ? KEPT_WITHOUT_ACCOUNT : KEPT_PER_ACCOUNT);
    newest.set(accountId, begun);
    return begun;
  }

  return {
    record(refusal) {
      const at = clock.now();
      const day = taipeiDay(at);
      const { accountId, keyId, code } = refusal;
      const known = counts.get(nameOf(keyId, code, day));
      if (known) known.refused++;
      else addCount({ accountId, day, keyId, code, refused: 1 });
      if (ofAccount(accountId)?.add({ ...refusal, at }, kept < MAX_REQUESTS)) kept++;
    },
    take() {
      const taken = {
        counts: [...counts.values()],
        requests: [...newest.values()].flatMap(({ requests }) => requests),
      };
      counts = new Map();
      newest = new Map();
      kept = 0;
      return inBatches(taken);
    },
    giveBack(batch) {
      for (const count of batch.counts) addCount(count);
      for (const request of batch.requests) {
        if (kept < MAX_REQUESTS && ofAccount(request.accountId)?.addOlder(request)) kept++;
      }
    },
  };
}

/** The newest requests of one account; the oldest is overwritten. */
class NewestRequests {
  readonly requests: RefusedRequest[] = [];
  readonly #most: number;
  #next = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether there is one more than before. */
  add(request: RefusedRequest, mayGrow: boolean): boolean {
    const { length } = this.requests;
    if (this.#next >= (mayGrow ? this.#most : length)) this.#next = 0;
    this.requests[this.#next++] = request;
    return this.requests.length > length;
  }

  /** Only if there is room: what came meanwhile is newer. */
  addOlder(request: RefusedRequest): boolean {
    if (this.requests.length >= this.#most) return false;
    this.requests.push(request);
    return true;
  }
}

function nameOf(keyId: string, code: string, day: number): string {
  return `${keyId} ${code} ${day}`;
}

function inBatches({ counts, requests }: RefusalBatch): RefusalBatch[] {
  const batches: RefusalBatch[] = [];
  for (let from = 0; from < Math.max(counts.length, requests.length); from += BATCH_ROWS) {
    const end = from + BATCH_ROWS;
    batches.push({ counts: counts.slice(from, end), requests: requests.slice(from, end) });
  }
  return batches;
}
