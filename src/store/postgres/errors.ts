// Classifies database errors: retry, an error of the operation itself, or no answer.

import { SQL } from 'bun';
import { codeOf } from '../../kit/error-code.ts';
import { PAGES } from '../tables.ts';

/** The connection was lost or given up before the answer arrived: it is unknown whether the statements were run. */
export class NoAnswer extends Error {
  override name = 'NoAnswer';
}

/** The connection broke: a retry on another one may succeed at once. */
export class ConnectionLost extends NoAnswer {
  override name = 'ConnectionLost';
}

/** The server answers, but the connection fails: because of TLS, a certificate, or the login. */
export class HandshakeFailed extends NoAnswer {
  override name = 'HandshakeFailed';
}

/** The connection was lost, and the server says that the batch was not committed. */
export class NotCommitted extends Error {
  override name = 'NotCommitted';
}

/** The SQLSTATE of an error that the server reported; undefined for other errors. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof SQL.PostgresError ? error.errno : undefined;
}

/** The rows themselves were refused: by a constraint, or because a value does not fit. */
export function isConstraint(error: unknown): boolean {
  return ['22', '23'].includes(sqlState(error)?.slice(0, 2) ?? '');
}

/** Nothing was written, and the same operations may succeed when they are run again from the beginning. */
export function mayRunAgain(error: unknown): boolean {
  const state = sqlState(error);
  if (error instanceof NotCommitted || error instanceof ConnectionLost) return true;
  return state === SERIALIZATION_FAILURE || state === DEADLOCK || (state === UNIQUE && isDuplicatePage(error));
}

const hasState =
  (...states: string[]) =>
  (error: unknown): boolean =>
    states.includes(sqlState(error) ?? '');

/** The server ended the connection: shutdown, crash or an administrator's command; an idle session that was ended. */
export const isShutdown = hasState('57P01', '57P02', '57P03', '57P05', '25P03', '25P04');
export const isLockTimeout = hasState('55P03');
/** The session is read-only: by a setting at its start, or because the server is a standby. */
export const isReadOnly = hasState('25006');
/** A table changed after the statement was prepared, for example by an upgrade; when sent again, it is prepared anew. */
export const isStalePlan = hasState('0A000');

/** Whether TLS or the login failed, by the code of the driver or of the TLS library. */
export function isHandshakeError(error: unknown): boolean {
  return HANDSHAKE_CODES.test(codeOf(error) ?? '');
}

/** Whether waiting may help: the server is starting, stopping, full or not there; not when it refuses the login. */
export function isTransient(error: unknown): boolean {
  const state = sqlState(error);
  if (error instanceof HandshakeFailed) return false;
  return state === undefined || TRANSIENT_CLASSES.includes(state.slice(0, 2));
}

export function explain(error: unknown): string {
  const state = sqlState(error);
  if (state !== undefined && error instanceof Error) return `${error.message} (${state})`;
  if (error instanceof NoAnswer || error instanceof NotCommitted) return error.message;
  return codeOf(error) ?? 'unknown error';
}

const UNIQUE = '23505';
const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';
/** Connection failures, too many connections, a server that starts or stops. */
const TRANSIENT_CLASSES = ['08', '53', '57'];

const HANDSHAKE_CODES = /TLS|SSL|CERT|SIGNATURE|EPROTO|AUTHENTICATION|SASL/;

/** A login name is unique in two tables, and either may report a duplicate first. */
const LOGIN_NAME = 'logins_name_key';

/** Two nodes inserted the same page at once; on a retry the second one finds it. */
function isDuplicatePage(error: unknown): boolean {
  if (!(error instanceof SQL.PostgresError)) return false;
  if (error.constraint === LOGIN_NAME) return true;
  const isPage = Object.values(PAGES).some(({ name }) => name === error.table);
  return isPage && error.constraint === `${error.table}_pkey`;
}
