// What the relay works with: its tools, one client call on its way in, and its admission.

import type { Authenticator, PresentedKey } from '../accounts/keys/authenticator.ts';
import type { Catalog, Model } from '../catalog/catalog.ts';
import type { AnswerTimes } from '../channels/answer-times.ts';
import type { FetchMedia } from '../channels/fetch-media.ts';
import type { Health } from '../channels/health.ts';
import type { HedgeBudget } from '../channels/hedge-budget.ts';
import type { ReasoningHistory } from '../channels/reasoning-history.ts';
import type { RecentErrors } from '../channels/recent-errors.ts';
import type { RetryBudget } from '../channels/retry-budget.ts';
import type { Traffic } from '../channels/traffic.ts';
import type { Upstreams } from '../channels/upstreams.ts';
import type { Dialect, RelayRequest } from '../dialects/dialect.ts';
import type { Alarms } from '../kit/alarms.ts';
import type { Clock } from '../kit/clock.ts';
import type { Connection } from '../kit/connection.ts';
import type { JsonDocument } from '../kit/json/json.ts';
import type { Log } from '../kit/log.ts';
import type { Nano } from '../kit/money.ts';
import type { Random } from '../kit/random.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { CallWork } from '../limits/large-work.ts';
import type { CapacityLease } from '../limits/load.ts';
import type { RecentRefusals } from '../limits/recent-refusals.ts';
import type { Turns } from '../limits/turns.ts';
import type { Allowance } from '../store/book/windows.ts';
import type { BudgetState } from '../store/operations.ts';
import type { Attempt, KeyChain, Loss } from '../store/rows.ts';
import type { ModelKind } from '../vendors/endpoints.ts';
import type { Models } from './candidate-models.ts';
import type { Cut } from './cut.ts';
import type { Carriers } from './find-carrier.ts';
import type { RelayMeter } from './meter.ts';
import type { ReadingOn } from './reading-on.ts';

export interface RelayTools extends Upstreams {
  clock: Clock;
  random: Random;
  health: Health;
  errors: Pick<RecentErrors, 'note'>;
  reasoning: ReasoningHistory;
  answerTimes: AnswerTimes;
  retryBudget: RetryBudget;
  hedges: HedgeBudget;
  traffic: Traffic;
  ledger: Ledger;
  /** Whether a key is still what it was when its call came. */
  keys: Pick<Authenticator, 'revalidate'>;
  refusals: RecentRefusals;
  turns: Turns;
  /** Called when the store lacks the account of a cached key: the cache is stale. */
  forgetKeys(): void;
  fetchMedia: FetchMedia;
  alarms: Alarms;
  log: Log;
  meter: RelayMeter;
  nodeId: string;
  /** A client's name for its own user, as upstreams may know it. */
  hashUser(id: string): string;
  /** A caller's name for its session, as the store knows it. */
  hashSession(name: string): string;
  publicUrl: string;
  /** While the books do not balance, no paid request is admitted. */
  isUnbalanced(): boolean;
  /** When a drain has run out of time: what still runs is cut. */
  cut: Cut;
  readingOn: ReadingOn;
  /** Ids of calls that are admitted and not yet closed. */
  running: Set<string>;
}

/** A call as it came over HTTP: its body is parsed and its key is valid. */
export interface IncomingCall {
  requestId: string;
  key: PresentedKey;
  /** The catalog that admits the call also prices it, whatever is applied meanwhile. */
  catalog: Catalog;
  /** The most that it may cost by its quote, if it has one. */
  quotedMost: Nano | undefined;
  kind: ModelKind;
  dialect: Dialect;
  document: JsonDocument;
  endpoint: string;
  /** The caller's own name for its conversation, if it gave one. */
  conversationName: string | undefined;
  /** The client's headers that its own upstream may see. */
  headers: Readonly<Record<string, string>>;
  /** Of the client's own tracing, for our log. */
  traceId: string | undefined;
  /** Grows with what is kept beside the body, opens another lease for a large answer, and is released with the call. */
  capacity: CapacityLease;
  /** Yields to other requests. */
  pause(): Promise<void>;
  /** What its body cost so far. */
  work: CallWork;
  /** The client would rather be refused than lose anything, or think less than it asked for. */
  isStrict: boolean;
  /** The client would rather be refused than wait for a free slot. */
  noWait: boolean;
  /** The client's: a stream keeps it open until it ends. */
  connection: Connection;
  /** Aborted when the client hangs up. */
  gone: AbortSignal;
}

/** The same call once its models are chosen and its body is read: it may be admitted. */
export interface Call extends IncomingCall {
  /** The model that the client named; it differs from `model` if it has retired and is replaced. */
  named: Model;
  model: Model;
  /** Those that may answer it: the model and its fallbacks. */
  models: Models;
  /** Of these, those that can take it; none if the prompt is too long for all of them. */
  candidates: readonly Model[];
  request: RelayRequest;
  carriers: Carriers;
  /** Keyed hash of the client's address, where free calls are limited by it. */
  freeAddress: string | undefined;
}

/** One for the whole call, and never copied: what a try notes in it, the close reads. */
export interface Admission {
  call: Call;
  /** As it was admitted: the end of the call counts for the same keys and sessions. */
  chain: KeyChain | undefined;
  startedAt: number;
  /** When the request as a whole must be over. */
  deadline: number;
  /** The output bound: what the client asked, the model gives and the hold pays. A fallback may give less. */
  maxOutputTokens: number;
  /** What is set aside for it: it never pays more. */
  held: Nano;
  /** True if only the balance, a budget or a rate in tokens lowered that bound. */
  isBoundByMoney: boolean;
  allowance: Allowance;
  /** Of the rates in tokens, if a key of the chain has one. */
  tokenAllowance: Allowance | undefined;
  /** What the call took of it. */
  takenTokens: number;
  /** The budgets that its hold brought to 80 %, as they stood before. */
  nearBudgets: readonly BudgetState[] | undefined;
  /** Set when an upstream refused a translated request: the translation may be wrong. */
  refusedTranslation?: true;
  /** The most bytes that one try fetched from URLs in the request. */
  fetchedBytes: number;
  /** Grows with every try; the receipt lists them. */
  attempts: Attempt[];
  /** What upstreams bill for tries that failed. */
  losses: readonly Loss[];
}

export interface Answer {
  headers: Record<string, string>;
  body: string | ReadableStream<Uint8Array>;
}
