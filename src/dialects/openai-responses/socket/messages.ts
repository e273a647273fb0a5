// Messages of a socket: what a client sends, and what the gateway writes itself, where no model is asked. Of `response.create`
// what concerns the socket is read; the rest is the body of POST /v1/responses. Only the places of its fields are needed, so a
// long input is copied as text and not parsed here.

import { fault } from '../../../faults/fault.ts';
import { type Json, type JsonObject, tryParseJson } from '../../../kit/json/json.ts';
import { openMember } from '../../../kit/json/raw-json.ts';
import type { Spans } from '../../../kit/json/spans.ts';
import { refuseField } from '../../fields.ts';
import { keptMessages } from '../compaction/summaries.ts';
import { asksForSealed, withOptional } from '../sealed-reasoning.ts';

/** More input for a response that runs. No upstream takes it, so it is returned. */
export function isSteer(text: string, spans: Spans): boolean {
  return memberOf(text, spans, 'type') === 'response.steer';
}

/** Throws `invalid_request`. */
export function writeSteerFailed({ previous_response_id: id, input = null }: JsonObject): string {
  if (typeof id !== 'string') {
    refuseField('previous_response_id', 'previous_response_id is missing. Name the response to be steered.');
  }
  return JSON.stringify({
    type: 'response.steer.failed',
    sequence_number: 0,
    error: {
      type: 'invalid_request_error',
      code: 'steering_not_supported',
      message: 'Responses cannot be steered here. Send the input in the next response.create.',
    },
    steer: { previous_response_id: id, input },
  });
}

/** The answer to a message with `generate: false`: the input is remembered, and no model is asked. */
export function writeWarmed(id: string, { model = null, streamId }: CreateMessage, now: number): string[] {
  const response = { id, object: 'response', created_at: Math.floor(now / 1_000), model, output: [], error: null };
  const own = streamId === undefined ? {} : { stream_id: streamId };
  const [begun, done] = [{ status: 'in_progress' }, { status: 'completed', usage: null }];
  return [
    { type: 'response.created', sequence_number: 0, ...own, response: { ...response, ...begun } },
    { type: 'response.completed', sequence_number: 1, ...own, response: { ...response, ...done } },
  ].map((event) => JSON.stringify(event));
}

export type CreateMessage = ReturnType<typeof readCreate>;

const STREAM_ID = /^[\w.-]{1,256}$/;

/** Fields of the message itself, and fields that the gateway sets for every turn. */
const OWN = new Set(['type', 'stream', 'stream_id', 'previous_response_id', 'generate', 'input', 'include']);

/** Throws `invalid_request` or `invalid_stream_id`. */
export function readCreate(text: string, spans: Spans) {
  const twice = spans.findTwice();
  if (twice !== undefined) refuseField(twice, 'A top-level field occurs twice in the message. Send every field once.');
  if (memberOf(text, spans, 'type') !== 'response.create') {
    refuseField('type', 'type must be response.create. Other messages are not supported.');
  }
  const input = openMember({ text, spans }, 'input')?.text;
  const include = memberOf(text, spans, 'include');
  return {
    /** The stream of the socket that it belongs to; undefined for the one without a name. */
    streamId: readStreamId(text, spans),
    previousId: optionalText(memberOf(text, spans, 'previous_response_id'), 'previous_response_id'),
    /** False if the input is only to be remembered for the next message. */
    generates: memberOf(text, spans, 'generate') !== false,
    model: memberOf(text, spans, 'model'),
    /** As it was sent. */
    input,
    /** The same as items, each as JSON, joined by commas; undefined if it is neither a text nor a list. */
    items: itemsIn(input),
    /** The other fields of the body, each with its name as JSON. */
    fields: [...fieldsOf(text, spans), ...includeOf(text, spans, include)],
    /** The client asks for encrypted reasoning itself, and gets it. */
    wantsSealed: asksForSealed({ include: include ?? null }),
  };
}

/** The stream of a message that is refused without being read further. */
export function streamIdOf(text: string): string | undefined {
  return /"stream_id"\s*:\s*"([\w.-]{1,256})"/.exec(text.slice(0, 1_000))?.[1];
}

/** The body of POST /v1/responses, with what was said before. */
export function writeBody({ input, items, fields }: CreateMessage, history: string): string {
  const isSent = history === '' || (items === undefined && input !== undefined);
  const whole = isSent ? input : `[${joinItems(history, items ?? '')}]`;
  return `{"stream":true,${[...fields, ...(whole === undefined ? [] : [`"input":${whole}`])].join()}}`;
}

export function joinItems(...lists: readonly string[]): string {
  return lists.filter((list) => list !== '').join();
}

/** The items, joined by commas, that a vendor's compaction does not contain. */
export function userMessages(items: string): string {
  const kept = keptMessages(JSON.parse(`[${items}]`));
  return joinItems(...kept.map((message) => JSON.stringify(message)));
}

function readStreamId(text: string, spans: Spans): string | undefined {
  const streamId = memberOf(text, spans, 'stream_id') ?? undefined;
  if (streamId === undefined || (typeof streamId === 'string' && STREAM_ID.test(streamId))) return streamId;
  throw fault('invalid_stream_id', { param: 'stream_id' });
}

function memberOf(text: string, spans: Spans, name: string): Json | undefined {
  const raw = openMember({ text, spans }, name)?.text;
  return raw === undefined ? undefined : tryParseJson(raw);
}

function optionalText(value: Json | undefined, name: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : refuseField(name, `${name} must be a text.`);
}

/** The next turn needs the reasoning of this one, whether the client asks for it or not. */
function includeOf(text: string, spans: Spans, include: Json | undefined): string[] {
  const requested = withOptional(include);
  const raw = requested ? JSON.stringify(requested) : openMember({ text, spans }, 'include')?.text;
  return raw === undefined ? [] : [`"include":${raw}`];
}

function itemsIn(input = ''): string | undefined {
  if (input.startsWith('[') && input.endsWith(']')) return input.slice(1, -1).trim();
  return input.startsWith('"') ? `{"type":"message","role":"user","content":${input}}` : undefined;
}

function fieldsOf(text: string, spans: Spans): string[] {
  return spans
    .list()
    .filter(({ name }) => !OWN.has(name))
    .map(({ start, valueEnd }) => text.slice(start, valueEnd));
}
