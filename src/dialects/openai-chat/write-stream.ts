// A chat stream to the client: chunks pass with `model` as the client knows it. When the upstream breaks and another run
// takes over, its chunks go on under the first one's id, without a second role and without a word twice.

import {
  ANSWER_LIMITS,
  editMembers,
  isObject,
  type Json,
  type JsonDocument,
  type JsonObject,
  readJsonObject,
} from '../../kit/json/json.ts';
import type { FinalUsage, RelayRequest, StreamEvent, StreamWriter, WriterOptions } from '../dialect.ts';
import { UNSEEN } from '../stream/bare-events.ts';
import { createRepeatWriter } from '../stream/shape.ts';
import { writeSse } from '../stream/sse.ts';
import { createTranscript } from '../stream/transcript.ts';
import { withCost } from '../with-cost.ts';
import { continueFresh, continuePrefill, finishesOf, TEXT_SLOT } from './continue-stream.ts';
import { createExtras } from './extras.ts';
import { hasNoChoice, isForeign } from './read-chunk.ts';
import { restateUsage, writeUsage } from './write-usage.ts';

export function createStreamWriter(request: RelayRequest, options: WriterOptions): StreamWriter {
  const transcript = createTranscript(options);
  /** What was told beside words, since the last of them. */
  const extras = createExtras();
  /** Choices whose finish the client has seen. */
  const finished = new Set<number>();
  let held: StreamEvent[] = [];
  let model = request.model;
  let head: JsonObject | undefined;
  let isContinued = false;
  /** The model has thought what the client does not want to see: it was answered all the same. */
  let hasUnseen = false;

  /** Chunks of a later run bear the id and time of the first. Of usage, even that there is none yet is told only if asked. */
  function ownFields({ value }: JsonDocument): Record<string, Json | undefined> {
    head ??= value;
    const fields: Record<string, Json | undefined> = { model };
    if (!request.includeUsage && value.usage !== undefined) fields.usage = undefined;
    return isContinued ? { ...fields, ...pick(value, head, 'id'), ...pick(value, head, 'created') } : fields;
  }

  const write = (document: JsonDocument) => writeSse(editMembers(document, ownFields(document)));
  const repeats = createRepeatWriter((marked) => write(readJsonObject(marked, ANSWER_LIMITS)));

  function pass(event: StreamEvent): string {
    const repeated = event.repeat && head && repeats.write(event.repeat);
    if (repeated !== undefined) {
      for (const piece of event.pieces) transcript.add(piece);
      for (const { slot } of event.pieces) extras.passWords(slot);
      return repeated;
    }
    if (event === UNSEEN) hasUnseen = true;
    if (!event.document) return '';
    if (event.kind === 'held') {
      // Of usage by itself, only the last is told.
      held = [...held.filter(isAnswer), event];
      return '';
    }
    extras.add(event);
    if (isForeign(event.document.value)) return writeForeign(event.document, event.name, model);
    for (const piece of event.pieces) transcript.add(piece);
    for (const index of finishesOf(event)) finished.add(index);
    return write(event.document);
  }

  return {
    keepAlive: () => ': ping\n\n',
    write: pass,
    rename: (id) => {
      model = id;
      repeats.forget();
    },
    repeats: {
      partsOf: repeats.partsOf,
      note(slot, bytes, from, to, tokens) {
        extras.passWords(slot);
        transcript.note(slot, bytes, from, to, tokens);
      },
    },
    // Several choices cannot be continued by one beginning.
    sentText: () => (request.choices === 1 ? transcript.onlyText(TEXT_SLOT) : undefined),
    sent() {
      const sent = transcript.sent();
      return hasUnseen && !sent.hasOutput ? { ...sent, hasOutput: true } : sent;
    },
    continue(how) {
      isContinued = true;
      repeats.forget();
      held = [];
      return how === 'prefill'
        ? continuePrefill(pass, transcript.onlyText(TEXT_SLOT) ?? '', extras)
        : continueFresh(pass, transcript.compare(), new Set(finished), extras);
    },
    end: (final) => [...lastChunks(held, final, request, ownFields, head, model), writeSse('[DONE]')].join(''),
    error: (body) => writeSse(JSON.stringify(body)),
  };
}

/** Nothing of it is ours but a model's name. */
function writeForeign(document: JsonDocument, name: string | undefined, model: string): string {
  return writeSse(typeof document.value.model === 'string' ? editMembers(document, { model }) : document.text, name);
}

function pick(from: JsonObject, head: JsonObject, name: string): Record<string, Json | undefined> {
  return from[name] === undefined || head[name] === undefined ? {} : { [name]: head[name] };
}

function isAnswer({ document }: StreamEvent): boolean {
  return document !== undefined && !hasNoChoice(document.value);
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
  const shownUsage = (usage: JsonObject) => {
    if (isOurs) return writeUsage(billed);
    return billed.isRestated ? restateUsage(usage, billed) : usage;
  };
  let hasUsage = false;
  for (const { document } of held) {
    if (!document) continue;
    const { usage } = document.value;
    if (!includeUsage && hasNoChoice(document.value)) continue;
    const shown = includeUsage && isObject(usage) ? withCost(shownUsage(usage), cost) : undefined;
    hasUsage ||= shown !== undefined;
    const missing = Array.isArray(document.value.choices) ? {} : { choices: [] };
    yield writeSse(editMembers(document, { ...ownFields(document), ...missing, usage: shown }));
  }
  if (!includeUsage || hasUsage) return;
  const usage = withCost(writeUsage(billed), cost);
  const { id, object, created } = head ?? {};
  yield writeSse(JSON.stringify({ id, object, created, model, choices: [], usage }));
}
