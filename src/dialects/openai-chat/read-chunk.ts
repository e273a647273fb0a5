// What a chunk of a chat stream is, however its upstream writes it: the rules that all who read one share.

import { isObject, type Json, type JsonObject } from '../../kit/json.ts';

/** An error in place of a chunk. */
export function isError({ error, object }: JsonObject): boolean {
  return isGiven(error) || object === 'error';
}

/** Told in place of an answer that the upstream could not finish. */
const BROKEN_FINISHES: ReadonlySet<unknown> = new Set(['error', 'insufficient_system_resource']);

export function isBroken({ error, finish_reason: finish }: JsonObject): boolean {
  return isGiven(error) || BROKEN_FINISHES.has(finish);
}

function isGiven(error: Json | undefined): boolean {
  return error !== undefined && error !== null && error !== '';
}

/** Which member tells what was said: some upstreams name it in a stream as in a whole answer. */
export function saidAs({ delta }: JsonObject): 'delta' | 'message' {
  return delta === undefined || delta === null ? 'message' : 'delta';
}

export function hasNoChoice({ choices }: JsonObject): boolean {
  return !Array.isArray(choices) || choices.length === 0;
}

/** Nothing that a client of this dialect knows: neither an answer nor its usage. */
export function isForeign({ choices, usage }: JsonObject): boolean {
  return !Array.isArray(choices) && !isObject(usage);
}
