// Refused requests on their way to the store: counts by key and code, and the newest requests of each account. What a flood
// of refusals can add between two writes is bounded, whoever sends it.

import type { Clock } from '../kit/clock.ts';
import { taipeiDay } from '../kit/taipei.ts';
import {
  KEPT_PER_ACCOUNT,
  KEPT_PER_CODE,
  type RefusalBatch,
  type RefusalCount,
  type RefusedRequest,
} from '../store/refusals.ts';

/** Its time is set here. */
export type Refusal = Omit<RefusedRequest, 'at'>;

export type RefusalLog = ReturnType<typeof createRefusalLog>;

/** Beyond this, refusals of further keys are counted without their account. */
const MAX_COUNTS = 5_000;
/** Beyond this, requests of further accounts are counted only. */
const MAX_REQUESTS = 10_000;
const BATCH_ROWS = 500;

/** `source` names the batches. */
export function createRefusalLog(clock: Clock, source: string) {
  let counts = new Map<string, RefusalCount>();
  /** By account; those of unknown accounts by their code. */
  let newest = new Map<string, NewestRequests>();
  let kept = 0;
  let number = 0;

  function count({ accountId, keyId, code }: Counted, day: number): void {
    const name = nameOf(keyId, code, day);
    const known = counts.get(name);
    if (known) known.refused++;
    else if (counts.size < MAX_COUNTS || keyId === '') counts.set(name, { accountId, day, keyId, code, refused: 1 });
    else count({ accountId: '', keyId: '', code }, day);
  }

  function newestLike({ accountId, code }: Refusal): NewestRequests | undefined {
    const name = accountId || code;
    const known = newest.get(name);
    if (known || kept >= MAX_REQUESTS) return known;
    const begun = new NewestRequests(accountId === '' ? KEPT_PER_CODE : KEPT_PER_ACCOUNT);
    newest.set(name, begun);
    return begun;
  }

  return {
    record(refusal: Refusal): void {
      const at = clock.now();
      count(refusal, taipeiDay(at));
      if (newestLike(refusal)?.add({ ...refusal, at }, kept < MAX_REQUESTS)) kept++;
    },
    /** Refusals recorded since the last call, in batches that are quick to write. */
    take(): RefusalBatch[] {
      const taken = {
        counts: [...counts.values()],
        requests: [...newest.values()].flatMap(({ requests }) => requests),
      };
      counts = new Map();
      newest = new Map();
      kept = 0;
      return inParts(taken).map((part) => ({ source, number: ++number, ...part }));
    },
  };
}

/** The newest requests of one account or code; the oldest is overwritten. */
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
}

function nameOf(keyId: string, code: string, day: number): string {
  return `${keyId} ${code} ${day}`;
}

type Counted = Pick<Refusal, 'accountId' | 'keyId' | 'code'>;
type Recorded = Pick<RefusalBatch, 'counts' | 'requests'>;

function inParts({ counts, requests }: Recorded): Recorded[] {
  const parts: Recorded[] = [];
  for (let from = 0; from < Math.max(counts.length, requests.length); from += BATCH_ROWS) {
    const end = from + BATCH_ROWS;
    parts.push({ counts: counts.slice(from, end), requests: requests.slice(from, end) });
  }
  return parts;
}
