// A chat stream to the client: chunks pass with `model` as the client knows it. When the upstream breaks and another run
// takes over, its chunks go on under the first one's id, without a second role and without a word twice.

import {
  editMembers,
  isObject,
  type Json,
  type JsonDocument,
  type JsonObject,
  readJsonObject,
} from '../../kit/json.ts';
import type {
  ContinuedWriter,
  FinalUsage,
  Piece,
  RelayRequest,
  StreamEvent,
  StreamWriter,
  WriterOptions,
} from '../dialect.ts';
import { createOverlap } from '../prefill-overlap.ts';
import { writeSse } from '../sse.ts';
import { type Comparison, createTranscript } from '../transcript.ts';
import { readPieces, toolCalls } from './read-output.ts';
import { withCost, writeUsage } from './write-usage.ts';

/** The words of the first choice: the only content that a prefill can continue. */
const TEXT_SLOT = '0/content';

export function createStreamWriter(request: RelayRequest, options: WriterOptions): StreamWriter {
  const transcript = createTranscript(options);
  let held: StreamEvent[] = [];
  let model = request.model;
  let head: JsonObject | undefined;
  let isContinued = false;

  /** Chunks of a later run bear the id and time of the first. */
  function ownFields({ value }: JsonDocument): Record<string, Json | undefined> {
    head ??= value;
    return isContinued ? { model, ...pick(value, head, 'id'), ...pick(value, head, 'created') } : { model };
  }

  function pass(event: StreamEvent): string {
    if (!event.document) return '';
    if (event.kind === 'held') {
      held.push(event);
      return '';
    }
    for (const piece of event.pieces) transcript.add(piece);
    return writeSse(editMembers(event.document, ownFields(event.document)));
  }

  return {
    keepAlive: ': ping\n\n',
    write: pass,
    rename: (id) => {
      model = id;
    },
    sentText: () => transcript.onlyText(TEXT_SLOT),
    sentTokens: transcript.tokens,
    continue(how) {
      isContinued = true;
      held = [];
      return how === 'prefill'
        ? continuePrefill(pass, transcript.onlyText(TEXT_SLOT) ?? '')
        : continueFresh(pass, transcript.compare());
    },
    end: (final) => [...lastChunks(held, final, request, ownFields, head, model), writeSse('[DONE]')].join(''),
    error: (body) => writeSse(JSON.stringify(body)),
  };
}

function pick(from: JsonObject, head: JsonObject, name: string): Record<string, Json | undefined> {
  return from[name] === undefined || head[name] === undefined ? {} : { [name]: head[name] };
}

type Pass = (event: StreamEvent) => string;

/** The upstream goes on with the sent text: its second beginning is dropped. */
function continuePrefill(pass: Pass, sent: string): ContinuedWriter {
  const takeNew = createOverlap(sent);
  return {
    caughtUp: () => true,
    write(event) {
      const rests = new Map(event.pieces.map(({ slot, text }) => [slot, slot === TEXT_SLOT ? takeNew(text) : text]));
      return passNew(pass, event, rests);
    },
  };
}

function continueFresh(pass: Pass, comparison: Comparison): ContinuedWriter {
  return {
    caughtUp: comparison.caughtUp,
    write(event) {
      const rests = new Map<string, string>();
      for (const piece of event.pieces) {
        const rest = comparison.take(piece);
        if (rest === 'mismatch' || isPartOfName(piece, rest)) return 'mismatch';
        rests.set(piece.slot, (rests.get(piece.slot) ?? '') + rest);
      }
      if (hasFinish(event) && !comparison.caughtUp()) return 'mismatch';
      return passNew(pass, event, rests);
    },
  };
}

/** A tool's name is sent whole: one that only begins like the sent one is another tool. */
function isPartOfName({ slot, text }: Piece, rest: string): boolean {
  return slot.endsWith('/name') && rest !== '' && rest !== text;
}

/** Passes an event without its role and with only what is new of each slot; nothing if nothing is. */
function passNew(pass: Pass, event: StreamEvent, rests: ReadonlyMap<string, string>): string {
  const isNew = [...rests.values()].some((rest) => rest !== '');
  return isNew || hasFinish(event) || event.kind === 'held' ? pass(trimmed(withoutRole(event), rests)) : '';
}

function hasFinish({ document }: StreamEvent): boolean {
  const choices = document?.value.choices;
  return (
    Array.isArray(choices) && choices.some((choice) => isObject(choice) && typeof choice.finish_reason === 'string')
  );
}

/** The event with each choice's delta changed; its text is written anew only when something did change. */
function mapDeltas(event: StreamEvent, map: (delta: JsonObject, choice: number) => JsonObject): StreamEvent {
  const { document } = event;
  if (!document || !Array.isArray(document.value.choices)) return event;
  let changed = false;
  const choices = document.value.choices.map((choice) => {
    if (!isObject(choice) || !isObject(choice.delta)) return choice;
    const delta = map(choice.delta, typeof choice.index === 'number' ? choice.index : 0);
    if (delta === choice.delta) return choice;
    changed = true;
    return { ...choice, delta };
  });
  if (!changed) return event;
  const pieces = choices.flatMap((choice) =>
    isObject(choice) ? readPieces(choice.delta, typeof choice.index === 'number' ? choice.index : 0) : [],
  );
  return { ...event, document: readJsonObject(editMembers(document, { choices })), pieces };
}

function withoutRole(event: StreamEvent): StreamEvent {
  return mapDeltas(event, (delta) => {
    if (delta.role === undefined) return delta;
    const { role: _, ...rest } = delta;
    return rest;
  });
}

/** Each slot's text cut down to what the client has not seen; tool calls it has seen lose their id and name. */
function trimmed(event: StreamEvent, rests: ReadonlyMap<string, string>): StreamEvent {
  return mapDeltas(event, (delta, choice) => {
    const next: JsonObject = {};
    for (const [name, value] of Object.entries(delta)) {
      const rest = rests.get(`${choice}/${name}`);
      if (rest === undefined) next[name] = value;
      else if (rest !== '') next[name] = rest;
    }
    const calls = toolCalls(delta);
    if (calls.length > 0) next.tool_calls = calls.flatMap((call, at) => trimCall(call, at, choice, rests));
    return next;
  });
}

function trimCall(
  call: JsonObject,
  position: number,
  choice: number,
  rests: ReadonlyMap<string, string>,
): JsonObject[] {
  const index = typeof call.index === 'number' ? call.index : position;
  const kind = isObject(call.custom) ? 'custom' : 'function';
  const fields = isObject(call[kind]) ? call[kind] : {};
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(fields)) {
    const rest = rests.get(`${choice}/tool/${index}/${name}`);
    if (rest === undefined ? value !== '' : rest !== '') kept[name] = rest ?? value;
  }
  const wasSeen = rests.get(`${choice}/tool/${index}/name`) === '';
  const { id, type, ...others } = call;
  if (!wasSeen)
    return [{ ...others, ...(id === undefined ? {} : { id }), ...(type === undefined ? {} : { type }), [kind]: kept }];
  return Object.keys(kept).length > 0 ? [{ index, [kind]: kept }] : [];
}

/** Usage and end. A client that did not ask for usage gets none, though we made the upstream report it. */
function* lastChunks(
  held: readonly StreamEvent[],
  { usage: billed, cost, isOurs }: FinalUsage,
  { includeUsage }: RelayRequest,
  ownFields: (document: JsonDocument) => Record<string, Json | undefined>,
  head: JsonObject | undefined,
  model: string,
): Generator<string> {
  let hasUsage = false;
  for (const { document } of held) {
    if (!document) continue;
    const { choices, usage } = document.value;
    const isUsageAlone = !Array.isArray(choices) || choices.length === 0;
    if (!includeUsage && isUsageAlone) continue;
    const shown = includeUsage && isObject(usage) ? withCost(isOurs ? writeUsage(billed) : usage, cost) : undefined;
    hasUsage ||= shown !== undefined;
    yield writeSse(editMembers(document, { ...ownFields(document), usage: shown }));
  }
  if (!includeUsage || hasUsage) return;
  const usage = withCost(writeUsage(billed), cost);
  const { id, object, created } = head ?? {};
  yield writeSse(JSON.stringify({ id, object, created, model, choices: [], usage }));
}
