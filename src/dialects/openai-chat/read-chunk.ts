// Reads a chunk of a chat stream in every variant of upstreams: the rules that all readers share.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import type { Finish } from '../dialect.ts';
import type { SseEvent } from '../stream/sse.ts';

/** An error in place of a chunk. */
export function isError({ error, object, type }: JsonObject): boolean {
  return (error ?? '') !== '' || object === 'error' || type === 'error';
}

/** An error by the name of its event, whatever it says. */
export function isErrorEvent({ event, data }: SseEvent): boolean {
  return event === 'error' && data !== undefined;
}

/** Sent in place of an answer that the upstream could not finish. */
const BROKEN_FINISHES: ReadonlySet<unknown> = new Set(['error', 'insufficient_system_resource']);

export function isBroken({ error, finish_reason: finish }: JsonObject): boolean {
  return (error ?? '') !== '' || BROKEN_FINISHES.has(finish);
}

/** vLLM says in `stop_reason` which stop sequence or token it met; null: none. */
export function readFinish({ finish_reason: finish, stop_reason: met }: JsonObject): Finish {
  if (finish === 'length') return 'length';
  if (finish !== 'stop') return 'other';
  return typeof met === 'string' || typeof met === 'number' ? 'stop_sequence' : 'end';
}

const FINISHES: readonly Finish[] = ['other', 'end', 'stop_sequence', 'length'];

/** The one of several choices that matters most for the bill. */
export function laterFinish(one: Finish, other: Finish): Finish {
  return FINISHES.indexOf(other) > FINISHES.indexOf(one) ? other : one;
}

/** They name the tokens of the answer, also where its content is empty. */
export function hasLogprobs({ logprobs }: JsonObject): boolean {
  return isObject(logprobs) && [logprobs.content, logprobs.refusal, logprobs.tokens].some(isFilled);
}

function isFilled(list: Json | undefined): boolean {
  return Array.isArray(list) && list.length > 0;
}

/** The member with the content: some upstreams use the name of a whole answer in a stream, too. */
export function contentMember({ delta }: JsonObject): 'delta' | 'message' {
  return delta === undefined || delta === null ? 'message' : 'delta';
}

export function hasNoChoice({ choices }: JsonObject): boolean {
  return !Array.isArray(choices) || choices.length === 0;
}

/** Neither content nor usage: an extension of the upstream, for clients that know it. */
export function isForeign({ choices, usage }: JsonObject): boolean {
  return !Array.isArray(choices) && !isObject(usage);
}

/** Fields in which upstreams report their own errors, which may name their hosts and keys. */
const ERROR_FIELDS = /err|fail|msg|message|detail|reason|warn|trace|exception/i;

/** An upstream's error in its own text, or without one: clients do not see it. */
export function isUnshown(foreign: JsonObject): boolean {
  return Object.keys(foreign).length === 0 || reportsError(foreign);
}

function reportsError(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.some(reportsError);
  return (
    isObject(value) && Object.entries(value).some(([name, member]) => ERROR_FIELDS.test(name) || reportsError(member))
  );
}

/** Words between events: neither JSON, whole or broken, nor a page in place of an answer. Nothing is lost without them. */
export function isNoise(data: string): boolean {
  return !/^\s*[{[<]/.test(data);
}
