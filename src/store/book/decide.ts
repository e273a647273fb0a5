// The table of operations: the pages that each one touches, and the function that decides it.

import { AssertionFailed } from '../../kit/assert.ts';
import type { Input, Operation, OperationName, Result } from '../operations.ts';
import { describeAccount, describeAccountTouches, setBilling, setBillingTouches } from './account-notes.ts';
import { noteAction } from './actions.ts';
import { keyringTouches } from './actors.ts';
import { admit, admitTouches, previewAdmit } from './admit.ts';
import { setBalanceLow } from './balance-low.ts';
import type { Book, Touch } from './book.ts';
import { issue, issueTouches, voidCard, voidTouches } from './cards.ts';
import { release, releaseTouches, settle, settleTouches, sweep, sweepTouches, undo, undoTouches } from './close.ts';
import {
  changeKey,
  changeKeyTouches,
  createKey,
  createKeyTouches,
  revokeKey,
  revokeKeyTouches,
  rotateKey,
  rotateKeyTouches,
} from './keyring.ts';
import {
  closeSession,
  closeSessions,
  loginTouches,
  openSession,
  setLogin,
  setLoginTouches,
  touchSession,
} from './logins.ts';
import { bookLate, bookLateTouches } from './losses.ts';
import {
  claim,
  credit,
  deleteIncident,
  freeze,
  freezeTouches,
  putIncident,
  revise,
  reviseTouches,
} from './operator.ts';
import { redeem, redeemTouches } from './redeem.ts';
import { payout, payoutTouches, refund, refundTouches } from './refund.ts';
import { register, registerTouches } from './register.ts';
import { addTraffic, trafficTouches } from './traffic.ts';
import {
  changeWebhook,
  changeWebhookTouches,
  createWebhook,
  createWebhookTouches,
  deleteWebhook,
  deleteWebhookTouches,
  recordDeliveries,
  recordDeliveriesTouches,
  scheduleWebhook,
  scheduleWebhookTouches,
  takeRole,
} from './webhooks.ts';

type Definitions = {
  [Name in OperationName]: {
    touches(input: Input<Name>): Touch[];
    decide(book: Book, input: Input<Name>): Result<Name>;
  };
};

const DEFINITIONS: Definitions = {
  register: { touches: registerTouches, decide: register },
  admit: { touches: admitTouches, decide: admit },
  previewAdmit: { touches: admitTouches, decide: previewAdmit },
  settle: { touches: settleTouches, decide: settle },
  release: { touches: releaseTouches, decide: release },
  undo: { touches: undoTouches, decide: undo },
  sweep: { touches: sweepTouches, decide: sweep },
  bookLosses: { touches: bookLateTouches, decide: bookLate },
  lease: {
    touches: (input) => [{ table: 'leases', id: input.nodeId }],
    decide: (book, input) => void book.put('leases', input.nodeId, input),
  },
  revise: { touches: reviseTouches, decide: revise },
  redeem: { touches: redeemTouches, decide: redeem },
  issue: { touches: issueTouches, decide: issue },
  void: { touches: voidTouches, decide: voidCard },
  credit: { touches: ({ accountId }) => [{ table: 'wallets', id: accountId }], decide: credit },
  refund: { touches: refundTouches, decide: refund },
  payout: { touches: payoutTouches, decide: payout },
  setBilling: { touches: setBillingTouches, decide: setBilling },
  createKey: { touches: createKeyTouches, decide: createKey },
  changeKey: { touches: changeKeyTouches, decide: changeKey },
  rotateKey: { touches: rotateKeyTouches, decide: rotateKey },
  revokeKey: { touches: revokeKeyTouches, decide: revokeKey },
  setBalanceLow: { touches: ({ accountId, by }) => keyringTouches(accountId, by), decide: setBalanceLow },
  freeze: { touches: freezeTouches, decide: freeze },
  describeAccount: { touches: describeAccountTouches, decide: describeAccount },
  traffic: { touches: trafficTouches, decide: addTraffic },
  claim: { touches: ({ name }) => [{ table: 'settings', id: name }], decide: claim },
  setLogin: { touches: setLoginTouches, decide: setLogin },
  openSession: { touches: loginTouches, decide: openSession },
  touchSession: { touches: loginTouches, decide: touchSession },
  closeSession: { touches: loginTouches, decide: closeSession },
  closeSessions: { touches: loginTouches, decide: closeSessions },
  putIncident: {
    touches: ({ incident }) => [{ table: 'incidents', id: incident.incidentId }],
    decide: putIncident,
  },
  deleteIncident: {
    touches: ({ incidentId }) => [{ table: 'incidents', id: incidentId }],
    decide: deleteIncident,
  },
  note: { touches: () => [], decide: noteAction },
  createWebhook: { touches: createWebhookTouches, decide: createWebhook },
  changeWebhook: { touches: changeWebhookTouches, decide: changeWebhook },
  deleteWebhook: { touches: deleteWebhookTouches, decide: deleteWebhook },
  recordDeliveries: { touches: recordDeliveriesTouches, decide: recordDeliveries },
  scheduleWebhook: { touches: scheduleWebhookTouches, decide: scheduleWebhook },
  takeRole: { touches: ({ name }) => [{ table: 'settings', id: name }], decide: takeRole },
};

export function touches<Name extends OperationName>(name: Name, input: Input<Name>): Touch[] {
  return DEFINITIONS[name].touches(input);
}

export type Decided =
  | { ok: true; result: Result<OperationName> }
  /** Nothing was written: the operation breaks a rule, or the database went away before its turn. */
  | { ok: false; error: string; unavailable?: true }
  /** Nothing was written, because another transaction has locked pages of the operation; lists them if they are known. */
  | { ok: false; error: string; lockedPages: readonly string[] };

/** An error of one operation alone: a broken rule, or a bug. */
const OWN_MISTAKES = [AssertionFailed, TypeError, RangeError, SyntaxError];

/**
 * Decides a batch in order. An operation that breaks a rule is undone alone; what the database itself throws ends the whole
 * batch.
 */
export function decideBatch(book: Book, operations: readonly Operation[]): Decided[] {
  return operations.map((operation) => {
    try {
      return { ok: true, result: book.attempt(() => decide(book, operation)) };
    } catch (error) {
      const isOwn = OWN_MISTAKES.some((kind) => error instanceof kind);
      if (isOwn && error instanceof Error) return { ok: false, error: error.message };
      throw error;
    }
  });
}

function decide(book: Book, operation: Operation): Result<OperationName> {
  const { decide: run } = DEFINITIONS[operation.name] as Definitions[OperationName & 'admit'];
  return run(book, operation.input as Input<'admit'>);
}
