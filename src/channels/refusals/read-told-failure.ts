// An error that an upstream tells with status 200: in place of an answer, or as an event of a stream. The status it would
// have had stands in it, or nowhere.

import { type Json, type JsonObject, tryParseJson } from '../../kit/json/json.ts';
import { findError } from './find-error.ts';
import { readFailure, type UpstreamFailure } from './read-failure.ts';

/** A failed response repeats what it was asked, so this is far more than an error needs. */
const MAX_TOLD_CHARS = 8 * 1024 * 1024;
const NO_HEADERS = new Headers();
/** Kinds of error that have this status whenever they come with one. */
const BAD_REQUESTS: ReadonlySet<Json | undefined> = new Set(['invalid_request_error', 'request_too_large']);

/** Undefined if it tells of no error. The status is 200 where none is named. */
export function readToldFailure(text: string, hidden: readonly string[]): UpstreamFailure | undefined {
  const told = text.length <= MAX_TOLD_CHARS ? tryParseJson(text) : undefined;
  const error = findError(told);
  return error && readFailure({ status: statusOf(error), headers: NO_HEADERS }, JSON.stringify({ error }), { hidden });
}

function statusOf({ code, status, type }: JsonObject): number {
  const named = [code, status].map(Number).find((number) => number >= 400 && number < 600);
  const kind = typeof code === 'string' ? code : type;
  return named ?? (BAD_REQUESTS.has(kind) ? 400 : 200);
}
