// The two halves of a translation. A client's adapter reads its requests and writes its answers; an upstream's adapter
// writes requests and reads answers. Any client's goes with any upstream's.

import type { JsonDocument, JsonObject } from '../../kit/json/json.ts';
import type { RawValue } from '../../kit/json/raw-json.ts';
import type { Quirks } from '../../vendors/quirks.ts';
import type { Carrier } from '../carrier.ts';
import type { PausedTurn, UpstreamFields } from '../dialect.ts';
import type { NamedMedia } from '../media/named-media.ts';
import type { ListedTiers } from '../removals/remove-fields.ts';
import type { OtherForm } from '../stream/other-form.ts';
import type { SseEvent } from '../stream/sse.ts';
import type { AnswerEvent, EventReader, WholeEvents } from './answer-events.ts';
import type { Conversation, Tool } from './conversation.ts';
import type { ToolNames } from './tools/tool-names.ts';

/** The upstream that a conversation is written for. */
export interface Target {
  /** The model's name there. */
  model: string;
  quirks: Quirks;
  /** It continues a final assistant turn. */
  prefill: boolean;
  /** See `originOf`: opaque values of this origin may go back to it. */
  origin: string;
  /** Makes ids of calls unique, where the upstream gives them none. */
  requestId: string;
  /** Whether the upstream was offered a tool of this name; unknown where only a request is written. */
  knowsTool?(upstreamName: string): boolean;
  /** The client's own bound on output, if it set one; no more than that is ever sent. */
  maxOutputTokens?: number | undefined;
  /** A client's name for its user, as a keyed hash. */
  hashUser(id: string): string;
  /** The service tiers that the price of the model lists. */
  serviceTiers?: ListedTiers;
}

export interface BodyOptions {
  stream: boolean;
  /** The beginning of the answer, to be continued. */
  prefill?: string | undefined;
  /** The content of a paused answer, which is returned unchanged. */
  turns?: readonly RawValue[];
}

export interface WrittenRequest extends Pick<Carrier, 'dropped' | 'droppedAt' | 'droppedUnsealed' | 'reworded'> {
  body(fields: UpstreamFields, options: BodyOptions): string;
  names: ToolNames;
  /** The tool whose arguments are the answer, if the upstream has no setting for the format. */
  formatTool?: string | undefined;
  /** Stop sequences that the upstream does not take. */
  localStops?: readonly string[] | undefined;
}

export interface UpstreamAdapter {
  /** Media that it accepts only as data: media given by URL are fetched first. */
  takesInside: readonly NamedMedia['type'][];
  /** Throws a fault that names what cannot be carried. */
  writeConversation(conversation: Conversation, target: Target): WrittenRequest;
  createEventReader(target: Target): EventReader;
  /** Undefined if it is no answer, or one that never finished. Its last event is broken if the model gave up. */
  readWhole(document: JsonDocument, target: Target): WholeEvents | undefined;
  writeAsStream: OtherForm['writeAsStream'];
  /** Absent where answers are never paused. */
  turns?: TurnReader;
}

export interface WholeTurn {
  /** The turn as the text of a stream. Those of several turns one after the other are the stream of the whole answer. */
  stream: string;
  /** Undefined if it is not paused, or cannot be continued. */
  paused: PausedTurn | undefined;
}

/** How the turns of a whole answer are read that its upstream paused. */
export interface TurnReader {
  /** False for most answers, which need not be read twice. */
  mayBePaused(text: string): boolean;
  /** Undefined if it is no answer. */
  readTurn(text: string): WholeTurn | undefined;
}

/** Parameters for writing an answer besides its events. */
export interface AnswerContext {
  requestId: string;
  /** In seconds. */
  createdAt: number;
  /** As requested by the client; the sender may change it later. */
  model: string;
  /** The maker of opaque values in this answer. */
  origin: string;
  tools: readonly Tool[];
  /** Our count, for formats that report the input before the answer. */
  readonly inputTokens: number;
  /** The client's own request. */
  asked: JsonDocument;
}

/** One server-sent event. */
export type Frame = SseEvent & { data: string };

/** A state machine that follows its dialect's grammar for any valid order of events. */
export interface EventWriter {
  /** Not for `done` and `broken`, which a client does not see. */
  write(event: AnswerEvent): Frame[];
  /** The first frames, unless they were written: for an answer that has begun without visible output. */
  begin?(): Frame[];
  /** True if more text of the block that is open changes nothing here: it is written, and not kept. */
  isSteady?(): boolean;
}

export interface ClientAdapter {
  /** Throws a fault that names the field. */
  readConversation(document: JsonDocument): Conversation;
  createEventWriter(context: AnswerContext): EventWriter;
  /** The text of a whole answer, without usage. */
  writeWhole(events: readonly AnswerEvent[], context: AnswerContext): string;
  /** The client wants a model that thinks, but not its thoughts. */
  hidesThoughts?(body: JsonObject): boolean;
  /** Signatures of shown content are sent even so. */
  keepsSignatures?: true;
  /** Parts of an answer that its format cannot express, by name. */
  findLost?(events: readonly AnswerEvent[], context: AnswerContext): readonly string[];
}
