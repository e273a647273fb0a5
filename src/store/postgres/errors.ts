// Classifies database errors: retry, an error of the operation itself, or no answer.

import { SQL } from 'bun';
import { codeOf } from '../../kit/error-code.ts';
import { PAGES } from '../tables.ts';

/** The connection was lost or given up before the answer came: whatever was sent may or may not have been done. */
export class NoAnswer extends Error {
  override name = 'NoAnswer';
}

/** The connection broke: another one may do better at once. */
export class ConnectionLost extends NoAnswer {
  override name = 'ConnectionLost';
}

/** The server answers, but the connection fails: because of TLS, a certificate, or the login. */
export class NoTerms extends NoAnswer {
  override name = 'NoTerms';
}

/** The connection was lost, and the server says that the batch was not committed. */
export class NeverHappened extends Error {
  override name = 'NeverHappened';
}

/** The server's own code, if the server said no; undefined if it said nothing. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof SQL.PostgresError ? error.errno : undefined;
}

/** The rows themselves were refused: by a constraint, or because a value does not fit. */
export function isConstraint(error: unknown): boolean {
  return ['22', '23'].includes(sqlState(error)?.slice(0, 2) ?? '');
}

/** Nothing was written, and run again from the beginning the same operations may well pass. */
export function mayRunAgain(error: unknown): boolean {
  const state = sqlState(error);
  if (error instanceof NeverHappened || error instanceof ConnectionLost) return true;
  return state === SERIALIZATION_FAILURE || state === DEADLOCK || (state === UNIQUE && isMadeTwice(error));
}

/** The server ended the connection, whatever was under way on it. */
export function isFarewell(error: unknown): boolean {
  return FAREWELLS.includes(sqlState(error) ?? '');
}

export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === LOCK_TIMEOUT;
}

/** The session takes no writes: because of a setting that it took over when it began, or because the server is a standby. */
export function isReadOnly(error: unknown): boolean {
  return sqlState(error) === READ_ONLY;
}

/** A table was changed since the statement was prepared, such as by an upgrade that adds a column: it is prepared anew when sent again. */
export function isStalePlan(error: unknown): boolean {
  return sqlState(error) === NOT_SUPPORTED;
}

/** Whether the two ends cannot agree on how to talk, by the driver's or the TLS library's code. */
export function isAboutTerms(error: unknown): boolean {
  return ABOUT_TERMS.test(codeOf(error) ?? '');
}

/** Whether waiting may help: the server is starting, stopping, full or not there; not when it refuses the login. */
export function isPassing(error: unknown): boolean {
  const state = sqlState(error);
  if (error instanceof NoTerms) return false;
  return state === undefined || PASSING_CLASSES.includes(state.slice(0, 2));
}

export function explain(error: unknown): string {
  const state = sqlState(error);
  if (state !== undefined && error instanceof Error) return `${error.message} (${state})`;
  if (error instanceof NoAnswer || error instanceof NeverHappened) return error.message;
  return codeOf(error) ?? 'unknown error';
}

const UNIQUE = '23505';
const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';
const READ_ONLY = '25006';
const LOCK_TIMEOUT = '55P03';
const NOT_SUPPORTED = '0A000';
/** An operator or the server's own end; a session that was idle for too long. */
const FAREWELLS = ['57P01', '57P02', '57P03', '57P05', '25P03', '25P04'];
/** Connection trouble, too many connections, a server that starts or stops. */
const PASSING_CLASSES = ['08', '53', '57'];

const ABOUT_TERMS = /TLS|SSL|CERT|SIGNATURE|EPROTO|AUTHENTICATION|SASL/;

/** The name for signing in stands in two pages, of which the database may look at either first. */
const LOGIN_NAME = 'logins_name_key';

/** A page that two nodes made at once: the second one finds it when it looks again. */
function isMadeTwice(error: unknown): boolean {
  if (!(error instanceof SQL.PostgresError)) return false;
  if (error.constraint === LOGIN_NAME) return true;
  const isPage = Object.values(PAGES).some(({ name }) => name === error.table);
  return isPage && error.constraint === `${error.table}_pkey`;
}
