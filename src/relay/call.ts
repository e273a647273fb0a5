// The relay's tools, and a call in its three stages: incoming, prepared, admitted.

import type { Authenticator, PresentedKey } from '../accounts/keys/authenticator.ts';
import type { Catalog, Model } from '../catalog/catalog.ts';
import type { AnswerTimes } from '../channels/answer-times.ts';
import type { FetchMedia } from '../channels/fetch-media.ts';
import type { Health } from '../channels/health.ts';
import type { ReasoningHistory } from '../channels/reasoning-history.ts';
import type { RecentErrors } from '../channels/recent-errors.ts';
import type { HedgeBudget, RetryBudget } from '../channels/retry-budget.ts';
import type { Traffic } from '../channels/traffic.ts';
import type { Upstreams } from '../channels/upstreams.ts';
import type { Dialect, RelayRequest } from '../dialects/dialect.ts';
import type { Form } from '../dialects/form/form.ts';
import type { VendorItem } from '../dialects/openai-responses/compaction/sealed-items.ts';
import type { Routing } from '../dialects/routing-fields.ts';
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
import type { Models } from './choose-model.ts';
import type { DrainDeadline } from './drain-deadline.ts';
import type { Carriers } from './find-carrier.ts';
import type { RelayMeter } from './meter.ts';
import type { ReadToEndLimit } from './read-to-end.ts';

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
  /** For a key that may have changed since its call arrived. */
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
  /** The client's id of its own user, as upstreams get it. */
  hashUser(id: string): string;
  /** The client's name of its session, as the store keeps it. */
  hashSession(name: string): string;
  publicUrl: string;
  /** While the books do not balance, no paid request is admitted. */
  isUnbalanced(): boolean;
  /** Ends the calls that still run when a drain is out of time. */
  drainDeadline: DrainDeadline;
  readToEndLimit: ReadToEndLimit;
  /** Ids of admitted calls that are not closed yet. */
  running: Set<string>;
}

/** A call as it arrived over HTTP: its body is parsed and its key is valid. */
export interface IncomingCall {
  tools: RelayTools;
  requestId: string;
  key: PresentedKey;
  /** It admits and prices the call, even if another revision is applied meanwhile. */
  catalog: Catalog;
  /** The maximum cost of its quote, if it has one. */
  quotedMost: Nano | undefined;
  kind: ModelKind;
  dialect: Dialect;
  document: JsonDocument;
  /** The files, where the body is a form. */
  form: Form | undefined;
  /** The caller's preferences for models and channels; not part of `document`. */
  routing: Routing | undefined;
  /** Channels that made items of the request which only their upstream accounts can read. */
  vendorItems: readonly VendorItem[];
  endpoint: string;
  /** The client's own name of its conversation, if it gave one. */
  conversationName: string | undefined;
  /** Headers of the client that an upstream of its own dialect may see. */
  headers: Readonly<Record<string, string>>;
  /** From the client's `traceparent`, for the log. */
  traceId: string | undefined;
  /** Memory of the body and of fetched media. It is released with the call; a large answer has a lease of its own. */
  capacity: CapacityLease;
  /** Yields to other requests. */
  pause(): Promise<void>;
  /** The time that its body has taken so far. */
  work: CallWork;
  /** `x-svc-strict`: refuse the call instead of dropping a setting or lowering the thinking budget. */
  isStrict: boolean;
  /** `x-svc-no-wait`: refuse the call instead of waiting for a free slot. */
  noWait: boolean;
  /** A stream keeps it open until its end. */
  connection: Connection;
  /** Aborted when the client hangs up. */
  gone: AbortSignal;
}

/** What is known of a large call before its body is parsed. */
export type EarlyCall = Pick<IncomingCall, 'tools' | 'catalog' | 'key' | 'kind' | 'dialect' | 'noWait'>;

/** A prepared call: its models are chosen and its body is read. It may be admitted. */
export interface Call extends IncomingCall {
  /** The model that the client named; it differs from `model` if it has retired and is replaced, or if another is cheaper. */
  named: Model;
  /** The first that is asked. */
  model: Model;
  /** The model, and those that are asked after it. */
  models: Models;
  /** Those of `models` that can serve it; empty if the prompt is too long for all of them. */
  candidates: readonly Model[];
  request: RelayRequest;
  carriers: Carriers;
  /** Keyed hash of the client's address, where free calls are limited by it. */
  freeAddress: string | undefined;
  /** Its end will be a usage record. */
  wasAdmitted: boolean;
}

/** An admitted call. It is never copied: attempts write to it, and the close reads that. */
export interface Admission {
  call: Call;
  /** At admission: the close uses the same keys and sessions. */
  chain: KeyChain | undefined;
  startedAt: number;
  /** The moment whose prices apply; null: the time of the admission. */
  pricedAt: number | null;
  /** When the request as a whole must be over. */
  deadline: number;
  /**
   * The output bound: the lowest of the client's bound, the model's and the one that the hold pays for. A fallback may have
   * a lower one.
   */
  maxOutputTokens: number;
  /** The hold: the call never costs more. */
  held: Nano;
  /** The balance, a budget or a rate in tokens lowered that bound. */
  isBoundByMoney: boolean;
  allowance: Allowance;
  /** The token rate, if a key of the chain has one, and the tokens that the call took from it. */
  tokenAllowance: Allowance | undefined;
  takenTokens: number;
  /** The budgets that its hold brought to 80 %, before the hold. */
  nearBudgets: readonly BudgetState[] | undefined;
  /** An upstream refused a translated request: the translation may be wrong. */
  refusedTranslation?: true;
  /** The most bytes that one attempt fetched from URLs in the request. */
  fetchedBytes: number;
  /** As the receipt lists them. */
  attempts: Attempt[];
  /** The upstreams' bill for failed attempts. */
  losses: readonly Loss[];
}

export interface Answer {
  headers: Record<string, string>;
  body: string | ReadableStream<Uint8Array>;
}
