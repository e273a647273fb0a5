// All writes of the store, as whole operations: each is decided and written entirely or not at all. Both drivers and the
// batcher use the table at the end.

import type { Nano } from '../kit/money.ts';
import type { OptionalTerms } from '../kit/prices.ts';
import type { AcceptedChain } from './accepted-chains.ts';
import type { AdmitInput, AdmitResult, RequestRef } from './admission.ts';
import type { Logged } from './book/actions.ts';
import type { ActorInput, ActorRefusal } from './book/actors.ts';
import type { ReplayRequest } from './book/replays.ts';
import type { Allowance } from './book/windows.ts';
import type { KeyLimits, LimitChanges } from './key-limits.ts';
import type { RefundOperations } from './refund-operations.ts';
import type {
  Action,
  Attempt,
  Buckets,
  CardBatch,
  CardState,
  ChargeRule,
  Incident,
  KeyDetails,
  KeyRow,
  LateLosses,
  Lease,
  Loss,
  NewEvent,
  RequestStatus,
  RevisionSource,
  Session,
  TrafficHour,
} from './rows.ts';
import type { WebhookOperations } from './webhook-operations.ts';

export type * from './admission.ts';
export type * from './refund-operations.ts';
export type * from './webhook-operations.ts';

export interface RegisterInput {
  accountId: string;
  key: KeyRow;
  /** Keyed hash of the client's address. */
  address: string;
  /** Larger networks that contain it, as keyed hashes, each with a separate limit for the same time. */
  networks?: readonly { prefix: number; address: string; limit: number }[];
  at: number;
  trial: Nano;
  /** The rest of the answer as JSON, which a repeated call gets again. */
  announced?: string | undefined;
  /** `perHour`: over all addresses, if there is such a limit. */
  limits: { perAddress: number; perDay: number; perHour?: number | undefined };
  replay?: ReplayRequest | undefined;
}
/**
 * `replayedSalt` is set if an earlier call with the same Idempotency-Key already registered; `announced` is then from that
 * call.
 */
export type RegisterResult =
  | { ok: true; accountId: string; keyId: string; balance: Nano; announced?: string | undefined; replayedSalt?: string }
  | { ok: false; reason: 'idempotency_key_reused' }
  /** `prefix`: of the network whose limit is reached, if it is not the address's own. */
  | { ok: false; reason: 'registration_ip_limit'; allowance: Allowance; prefix?: number }
  /** `isPace`: the registrations of an hour, not of the day. */
  | { ok: false; reason: 'registration_site_limit'; allowance: Allowance; isPace?: true };

/** How a request ended: the fields of its usage record that its hold does not have. */
export interface Outcome extends OptionalTerms {
  at: number;
  status: RequestStatus;
  /** The model that answered, if a fallback did. */
  model?: string | undefined;
  channel: string | null;
  buckets: Buckets;
  reasoning: number;
  estimated: boolean;
  firstTokenMs: number | null;
  totalMs: number;
  attempts: readonly Attempt[];
  rule?: ChargeRule | undefined;
  /** The upstreams' bill for the usage that the customer pays, losses excluded. Null or absent: the route states no cost. */
  upstreamCost?: Nano | null | undefined;
}
/** The parts of the upstreams' bill for a request that its customer does not pay. */
export interface Losses {
  items: readonly Loss[];
  /** The most that one account may cause on one Taipei day; null: no bound. */
  guard: Nano | null;
}
export interface SettleInput extends RequestRef {
  cost: Nano;
  losses?: Losses | undefined;
  outcome: Outcome;
}
export interface ReleaseInput extends RequestRef {
  losses?: Losses | undefined;
  /** Our own failures give the slots back. */
  giveBackSlots: boolean;
  /** The address whose free slot it took, if addresses are limited. */
  freeAddress?: string | undefined;
  outcome: Outcome;
}
/** Reverts an admission whose result did not arrive: it leaves no usage record. */
export interface UndoInput extends RequestRef {
  freeAddress?: string | undefined;
  at: number;
}
export type CloseResult =
  | {
      state: 'closed';
      charged: Nano;
      writtenOff: Nano;
      balance: Nano;
      /** Losses were charged, because the account has used up its free ones; `reached`: the first time today. */
      lossGuard?: 'reached' | 'beyond' | undefined;
      /** With `lossGuard`: how much of them still was free. */
      freeLosses?: Nano | undefined;
    }
  /** The hold was already resolved: nothing was written. */
  | { state: 'late' };

/** Releases one hold of a node that is gone. */
export interface SweepInput extends RequestRef {
  at: number;
}

export interface ReviseInput {
  document: string;
  source: RevisionSource;
  sourceHash: string;
  at: number;
  /** The revision that it follows: if another is the newest, nothing is written. */
  expects?: number | undefined;
  /** Its changes for all accounts. */
  events?: readonly NewEvent[] | undefined;
  /** The line for the log of actions, which every revision has; the revision's number is added to its detail. */
  log: Action;
}
export type ReviseResult = { ok: true } | { ok: false; reason: 'stale' };

export interface RedeemInput {
  accountId: string;
  cardHash: string;
  /** Keyed hash of the client's address. */
  address: string;
  at: number;
  limits: { perTenMinutes: number; perDay: number; perAddressHour: number };
  replay?: ReplayRequest | undefined;
}
export type RedeemResult =
  | { ok: true; serial: string; amount: Nano; balance: Nano; alreadyRedeemed: boolean; replayed?: true }
  | { ok: false; reason: 'card_not_redeemable'; replayed?: true }
  | { ok: false; reason: 'idempotency_key_reused' }
  | { ok: false; reason: 'redeem_rate_limited'; allowance: Allowance };

export interface IssueInput extends Logged {
  batch: CardBatch;
  cards: readonly { hash: string; serial: string }[];
}
export interface VoidInput extends Logged {
  hash: string;
}
export interface VoidResult {
  /** The card's state afterwards. */
  state: Exclude<CardState, 'issued'> | 'unknown';
}

export interface CreditInput extends Logged {
  accountId: string;
  amount: Nano;
  /** Unique: the same reference never credits twice. */
  reference: string;
  reason: string;
  /** `topup`: the customer paid for it, so it can be paid out. */
  kind?: 'credit' | 'topup' | undefined;
  at: number;
}
export type CreditResult = { ok: true; balance: Nano } | { ok: false; reason: 'not_found' | 'wallet_full' };

export interface CreateKeyInput extends Logged, ActorInput {
  key: KeyRow;
  at: number;
  replay?: ReplayRequest | undefined;
  /** Such a key is not allowed now: only a replay of this Idempotency-Key is answered. */
  onlyReplay?: boolean;
}
/** A repeated call gets the key as it was created, even if it has changed since. */
export type CreateKeyResult =
  | { ok: true; key: KeyDetails; replayedSalt?: string }
  | { ok: false; reason: ActorRefusal | 'not_found' | ReplayRefusal | 'no_replay' }
  | TooManyKeys
  | KeysMadeRefusal
  | ChildRefusal;
/** `replayed_key_gone`: an earlier version remembered only the id, and that key was deleted. */
type ReplayRefusal = 'idempotency_key_reused' | 'replayed_key_gone';
/** The account, or its delegating keys, have created the most keys allowed on one day. */
export interface KeysMadeRefusal {
  ok: false;
  reason: 'too_many_keys_today';
  allowance: Allowance;
}
/** `keyId` cannot have another key below it; null for the account. */
export interface TooManyKeys {
  ok: false;
  reason: 'too_many_keys';
  keyId: string | null;
  limit: number;
  used: number;
}
/** Why a key below another cannot be made or changed so. */
export type ChildRefusal =
  /** `parent_gone`: there is no such valid key. `parent_not_delegating`: it makes no keys. `too_deep`: it has the greatest depth. */
  | { ok: false; reason: 'parent_gone' | 'parent_not_delegating' | 'too_deep' | 'child_needs_budget' }
  /** `field` allows more than `keyId`, an ancestor, does. */
  | { ok: false; reason: 'exceeds_ancestor'; field: ChildField; keyId: string };
export type ChildField = 'models' | 'expiresAt' | 'delegate' | 'dailyBudget' | keyof KeyLimits;
export interface ChangeKeyInput extends ActorInput {
  accountId: string;
  keyId: string;
  changes: Partial<Pick<KeyRow, 'name' | 'models' | 'dailyBudget' | 'expiresAt' | 'manage' | 'delegate'>> & {
    limits?: LimitChanges;
  };
  at: number;
}
/** If the caller is a session that this key opened, the session stays valid with the new text. */
export interface RotateKeyInput extends ActorInput {
  accountId: string;
  keyId: string;
  hash: string;
  last4: string;
  /** The old key works until then; a time that is not in the future ends it at once. */
  graceUntil: number;
  at: number;
  replay?: ReplayRequest | undefined;
}
/** A repeated call gets the key as it was after the first one. */
export type RotateKeyResult =
  | { ok: true; key: KeyDetails; replayedSalt?: string }
  | { ok: false; reason: RefusedKeyReason | ReplayRefusal }
  | ChildRefusal;
export interface RevokeKeyInput extends Logged, ActorInput {
  accountId: string;
  keyId: string;
  at: number;
  /** The operator may revoke even the last managing key. */
  evenIfLast?: boolean;
}
type RefusedKeyReason = ActorRefusal | 'not_found' | 'last_key' | 'restricted';
/** Revokes the key and the keys below it. */
export type KeyResult = { ok: true; key: KeyRow } | { ok: false; reason: RefusedKeyReason } | ChildRefusal;

/** Below this balance the account has the event `balance.low`; 0: never. */
export interface SetBalanceLowInput extends ActorInput {
  accountId: string;
  balanceLow: Nano;
  at: number;
}
export type SetBalanceLowResult = { ok: true } | { ok: false; reason: ActorRefusal };

export interface FreezeInput extends Logged {
  accountId: string;
  frozen: boolean;
  at: number;
  /** To unfreeze: the audit accepts the chain up to here. */
  accepted?: AcceptedChain | undefined;
  /** The balance does not match the entries: nothing is paid out until the account is unfrozen. */
  byAudit?: boolean;
}

export interface FreezeResult {
  /** Nothing was written, because it had this state already. */
  wasAlready: boolean;
}

/** An undefined field stays as it is; null removes it. */
export interface DescribeAccountInput extends Logged {
  accountId: string;
  nickname?: string | null | undefined;
  note?: string | null | undefined;
}

export type DescribeAccountResult = { ok: true } | { ok: false; reason: 'not_found' };

/** Adds to the sums of the hours it names. */
export interface TrafficInput {
  sums: readonly TrafficHour[];
}

/** Writes a fact about the database unless it exists already; returns the stored one. */
export interface ClaimInput extends Logged {
  name: 'pepper' | `alarm_seen:${number}` | `alarms_seen:${string}:${number}`;
  value: string;
}
export interface ClaimResult {
  value: string;
  isFirst: boolean;
}

/** Sets name and password together, and ends every session but one, also those opened with the old password. */
export interface SetLoginInput {
  accountId: string;
  /** The current name of the account, which becomes free if the new one differs. */
  before: string | null;
  /** In lower case. */
  name: string;
  passwordHash: string;
  /** The session that requests it, which stays open. */
  by?: { session: string } | undefined;
  at: number;
}
export type SetLoginResult =
  | { ok: true }
  /** `changed`: the current name is not `before`; read it again. */
  | { ok: false; reason: ActorRefusal | 'name_taken' | 'changed' };

/** Removes sessions that have ended, and one if there are too many. */
export interface OpenSessionInput {
  accountId: string;
  session: Session;
  /** The hash that the password matched, in case the password was changed meanwhile. */
  passwordHash?: string | undefined;
  at: number;
}
export type OpenSessionResult =
  | { ok: true }
  /** `changed`: the password was changed meanwhile. `full`: there are too many sessions, and it may end none of them. */
  | { ok: false; reason: 'changed' | 'full' };
export interface TouchSessionInput {
  accountId: string;
  hash: string;
  at: number;
}
export interface CloseSessionInput {
  accountId: string;
  hash: string;
}
/** Signs out everywhere. */
export interface CloseSessionsInput {
  accountId: string;
  /** Only sessions that the key with this id opened. */
  openedBy?: string | null | undefined;
}

export interface PutIncidentInput extends Logged {
  incident: Incident;
  /** Changes an existing one: its text and start, its end, or both. Other fields stay as they are. */
  changes?: 'words' | 'end' | 'words_and_end';
}
export type PutIncidentResult =
  | { ok: true; incident: Incident }
  /** `ended`: it has an end already. */
  | { ok: false; reason: 'not_found' | 'ended' };
export interface DeleteIncidentInput extends Logged {
  incidentId: string;
}

/** Only adds a line to the log of actions, for actions that change nothing in the store. */
interface NoteInput {
  log: Action;
}

interface Operations extends RefundOperations, WebhookOperations {
  register: { input: RegisterInput; result: RegisterResult };
  admit: { input: AdmitInput; result: AdmitResult };
  /** The result that `admit` would have; writes nothing. */
  previewAdmit: { input: AdmitInput; result: AdmitResult };
  settle: { input: SettleInput; result: CloseResult };
  release: { input: ReleaseInput; result: CloseResult };
  undo: { input: UndoInput; result: CloseResult };
  sweep: { input: SweepInput; result: CloseResult };
  bookLosses: { input: LateLosses; result: undefined };
  lease: { input: Lease; result: undefined };
  revise: { input: ReviseInput; result: ReviseResult };
  redeem: { input: RedeemInput; result: RedeemResult };
  issue: { input: IssueInput; result: undefined };
  void: { input: VoidInput; result: VoidResult };
  credit: { input: CreditInput; result: CreditResult };
  createKey: { input: CreateKeyInput; result: CreateKeyResult };
  changeKey: { input: ChangeKeyInput; result: KeyResult };
  rotateKey: { input: RotateKeyInput; result: RotateKeyResult };
  revokeKey: { input: RevokeKeyInput; result: KeyResult };
  setBalanceLow: { input: SetBalanceLowInput; result: SetBalanceLowResult };
  freeze: { input: FreezeInput; result: FreezeResult };
  describeAccount: { input: DescribeAccountInput; result: DescribeAccountResult };
  traffic: { input: TrafficInput; result: undefined };
  claim: { input: ClaimInput; result: ClaimResult };
  setLogin: { input: SetLoginInput; result: SetLoginResult };
  openSession: { input: OpenSessionInput; result: OpenSessionResult };
  touchSession: { input: TouchSessionInput; result: undefined };
  closeSession: { input: CloseSessionInput; result: undefined };
  closeSessions: { input: CloseSessionsInput; result: undefined };
  putIncident: { input: PutIncidentInput; result: PutIncidentResult };
  deleteIncident: { input: DeleteIncidentInput; result: { wasThere: boolean } };
  note: { input: NoteInput; result: undefined };
}
export type OperationName = keyof Operations;
export type Input<Name extends OperationName> = Operations[Name]['input'];
export type Result<Name extends OperationName> = Operations[Name]['result'];

/** One operation as it is sent to the writer. */
export type Operation = { [Name in OperationName]: { name: Name; input: Input<Name> } }[OperationName];
