// How much this process has taken on: requests under way and the bytes of their bodies, of what is fetched for them and of
// large answers, as they come. Beyond the bound it refuses at once, so that what it has admitted keeps its pace. Free calls
// make room first, and no account fills the house.

import { fault } from '../faults/fault.ts';
import { type AnswerRoom, type AnswerRooms, createAnswerRooms } from './answer-room.ts';

/** What one request takes up. */
export interface Room {
  /** So much more of its body has come, or of what its body names. Throws `unavailable` when there is no room for it. */
  grow(bytes: number): void;
  /** Its call is free: throws `unavailable`, now or when it grows, when the room that is left is kept for those who pay. */
  becomeFree(): void;
  /** For an answer, which may outlast the rest of it. */
  openAnswer(): AnswerRoom;
  /** Gives the room back; a second time does nothing. */
  leave(): void;
}

export interface Load {
  /** Throws `unavailable` when there is no room. */
  enter(accountId: string): Room;
  readonly requests: number;
}

/** May change at any time. */
export interface LoadLimits {
  readonly requests: number;
  readonly bodyBytes: number;
}

/** Free calls are refused when this much of the room is taken. */
const FREE_SHARE = 0.8;
/** One account's requests and bodies never take more than this share, once they are more than a few. */
const ACCOUNT_SHARE = 0.25;
const A_FEW: LoadLimits = { requests: 64, bodyBytes: 64 * 1024 * 1024 };
const RETRY_AFTER_S = 2;

interface Taken {
  requests: number;
  bytes: number;
}

export function createLoad(limits: LoadLimits): Load {
  return new House(limits);
}

class House implements Load {
  readonly limits: LoadLimits;
  readonly all: Taken = { requests: 0, bytes: 0 };
  readonly byAccount = new Map<string, Taken>();
  readonly answers: AnswerRooms;

  constructor(limits: LoadLimits) {
    this.limits = limits;
    this.answers = createAnswerRooms(this.all, () => limits.bodyBytes);
  }

  enter(accountId: string): Room {
    const { limits, all, byAccount } = this;
    const own = byAccount.get(accountId) ?? { requests: 0, bytes: 0 };
    if (all.requests >= limits.requests || own.requests >= share(limits, 'requests')) refuse();
    byAccount.set(accountId, own);
    all.requests++;
    own.requests++;
    return new RequestRoom(this, accountId, own);
  }

  get requests(): number {
    return this.all.requests;
  }
}

class RequestRoom implements Room {
  readonly #house: House;
  readonly #accountId: string;
  /** What the account takes up. */
  readonly #own: Taken;
  #taken = 0;
  #isFree = false;
  #isIn = true;

  constructor(house: House, accountId: string, own: Taken) {
    this.#house = house;
    this.#accountId = accountId;
    this.#own = own;
  }

  grow(bytes: number): void {
    if (!this.#isIn) return;
    const { limits, all } = this.#house;
    const own = this.#own;
    if (all.bytes + bytes > limits.bodyBytes || own.bytes + bytes > share(limits, 'bodyBytes')) refuse();
    all.bytes += bytes;
    own.bytes += bytes;
    this.#taken += bytes;
    if (this.#isFree) this.#checkFree();
  }

  becomeFree(): void {
    this.#isFree = true;
    this.#checkFree();
  }

  openAnswer(): AnswerRoom {
    return this.#house.answers.open(this.#accountId, this.#isFree ? FREE_SHARE : 1);
  }

  leave(): void {
    if (!this.#isIn) return;
    this.#isIn = false;
    const { all, byAccount } = this.#house;
    all.requests--;
    all.bytes -= this.#taken;
    this.#own.bytes -= this.#taken;
    if (--this.#own.requests === 0) byAccount.delete(this.#accountId);
  }

  #checkFree(): void {
    const { limits, all } = this.#house;
    // It is among them; alone it is never too many.
    if (all.requests === 1) return;
    if (all.requests > limits.requests * FREE_SHARE || all.bytes > limits.bodyBytes * FREE_SHARE) refuse();
  }
}

function share(limits: LoadLimits, name: keyof LoadLimits): number {
  return Math.max(A_FEW[name], limits[name] * ACCOUNT_SHARE);
}

function refuse(): never {
  throw fault('unavailable', { internal: 'too many requests under way', retryAfterS: RETRY_AFTER_S });
}
