// Reads a chat stream event by event: the kind of each event, its content, and the facts that the bill needs. Text is never
// kept.

import { isObject, type JsonDocument, tryReadAnswerJson } from '../../kit/json/json.ts';
import { weighTokens } from '../../kit/tokens.ts';
import { addUnreported, checkReport } from '../counts.ts';
import {
  type AnswerFacts,
  addOutput,
  isMedia,
  NO_OUTPUT,
  type Segment,
  type StreamEvent,
  type StreamFacts,
  type StreamReader,
} from '../dialect.ts';
import { PlainTokens } from '../input/plain-tokens.ts';
import { BROKEN, DONE } from '../stream/bare-events.ts';
import { isFinish } from '../stream/is-finish.ts';
import { type Repeat, RepeatedEvent, ShapeMemory } from '../stream/shape.ts';
import { isKeepAlive, type SseEvent } from '../stream/sse.ts';
import { choicesOf, indexOf } from './extras.ts';
import { isReasoning, ONE_SEARCH, outputOf, readSegments, searchedInput, weighMedia } from './read-answer.ts';
import {
  contentMember,
  hasLogprobs,
  hasNoChoice,
  isBroken,
  isError,
  isErrorEvent,
  isForeign,
  isNoise,
  isUnshown,
  laterFinish,
  readFinish,
} from './read-chunk.ts';
import { betterUsage, readUsage } from './usage.ts';

const DONE_MARK = '[DONE]';

export class ChatReader implements StreamReader {
  readonly #choices: number;
  readonly #facts: AnswerFacts = { usage: 'absent', output: NO_OUTPUT, finish: 'other' };
  readonly #shapes = new ShapeMemory(hasOnlyText);
  readonly #begun = new Set<number>();
  readonly #finished = new Set<number>();
  /** The last usage that came by itself before the end: it is sent there. */
  #early: StreamEvent | undefined;
  /** The usage of the last chunk leaves out what was reported before. */
  #tellsLess = false;
  #isDone = false;
  /** Output since the last usage came, and our own count of all before it. */
  #after: { tokensBefore: number; plain: PlainTokens } | undefined;
  /** The last repeated event was of reasoning. */
  #repeatsReasoning = false;
  #searched = 0;
  /** The service tier of the last chunk that has one. */
  #serviceTier: string | undefined;

  /** `choices`: the number of requested answers. Fewer count as finished only at the upstream's end mark. */
  constructor(choices: number) {
    this.#choices = choices;
  }

  read(sent: SseEvent): StreamEvent[] {
    const { data = '', event: name } = sent;
    if (isErrorEvent(sent)) return [BROKEN];
    // After a usage report every event is parsed.
    const repeat = this.#after ? undefined : this.#shapes.match(data);
    if (repeat) return [this.#readRepeat(data, repeat)];
    if (data === DONE_MARK) {
      this.#isDone = true;
      return [DONE];
    }
    if (isNoise(data)) return [];
    const document = tryReadAnswerJson(data);
    if (!document || isError(document.value)) return [BROKEN];
    if (isForeign(document.value)) {
      const isHidden = isKeepAlive(name) || isKeepAlive(document.value.type) || isUnshown(document.value);
      return isHidden ? [] : [{ kind: 'other', name, document, segments: [] }];
    }
    const event = this.#readChunk(document);
    this.#learn(event);
    return this.#inTurn(event);
  }

  countRepeat(tokens: number): void {
    this.#shapes.countMatch();
    this.#addRepeated(tokens);
  }

  facts(): StreamFacts {
    const output = { ...this.#facts.output };
    const finished = this.isFinished();
    const checked = checkReport(this.#facts.usage, output, finished);
    const after = this.#after && { ...this.#after, plainTokens: this.#after.plain.total() };
    const usage = addUnreported(checked, after);
    return { ...this.#facts, output, usage, finished };
  }

  isFinished(): boolean {
    return this.#seenAreFinished() && (this.#isDone || this.#finished.size >= this.#choices);
  }

  #seenAreFinished(): boolean {
    return this.#finished.size > 0 && this.#finished.size === this.#begun.size;
  }

  #readChunk(document: JsonDocument): StreamEvent {
    const { usage, service_tier: tier } = document.value;
    if (typeof tier === 'string') this.#serviceTier = tier;
    const reported = readUsage(usage, this.#serviceTier);
    this.#facts.usage = betterUsage(this.#facts.usage, reported);
    this.#tellsLess = this.#facts.usage !== reported;
    let output = NO_OUTPUT;
    const segments: Segment[] = [];
    for (const choice of choicesOf(document.value)) {
      if (isBroken(choice)) return BROKEN;
      const index = indexOf(choice);
      this.#begun.add(index);
      if (isFinish(choice.finish_reason)) {
        this.#facts.finish = laterFinish(this.#facts.finish, readFinish(choice));
        this.#finished.add(index);
      }
      const said = choice[contentMember(choice)];
      const own = readSegments(said, index);
      segments.push(...own);
      output = addOutput(output, { ...outputOf(own), mediaTokens: weighMedia(said) });
      if (hasLogprobs(choice)) output = { ...output, hasContent: true };
      this.#searched ||= searchedInput(choice[contentMember(choice)]);
    }
    this.#facts.output = { ...addOutput(this.#facts.output, output), toolInput: this.#searched };
    if (this.#searched > 0) this.#facts.output.toolCalls = ONE_SEARCH;
    if (isObject(usage)) this.#after = { tokensBefore: this.#facts.output.tokens, plain: new PlainTokens() };
    else for (const segment of segments) if (!isMedia(segment)) this.#after?.plain.add(segment.text);
    const isHeld = isObject(usage) && (this.#seenAreFinished() || hasNoChoice(document.value));
    const kind = isHeld ? 'held' : output.hasContent || output.hasReasoning ? 'output' : 'other';
    return { kind, name: undefined, document, segments };
  }

  #inTurn(event: StreamEvent): StreamEvent[] {
    if (!this.#seenAreFinished()) {
      if (event.kind !== 'held') return [event];
      if (!this.#early || !this.#tellsLess) this.#early = event;
      return [];
    }
    const early = this.#early;
    if (!early) return [event];
    this.#early = undefined;
    return event.kind !== 'held' ? [event, early] : [this.#tellsLess ? early : event];
  }

  #readRepeat(data: string, repeat: Repeat): StreamEvent {
    this.#repeatsReasoning = isReasoning(repeat.shape);
    this.#addRepeated(weighTokens(repeat.text));
    return new RepeatedEvent(undefined, data, repeat);
  }

  #addRepeated(tokens: number): void {
    const { output } = this.#facts;
    output.tokens += tokens;
    if (this.#repeatsReasoning) output.reasoningTokens += tokens;
  }

  #learn({ kind, document, segments }: StreamEvent): void {
    const [segment] = segments;
    if (kind !== 'output' || !document || !segment || segments.length > 1 || !mayRepeat(document)) return;
    this.#shapes.learn(document.text, segment.text, segment.slot);
  }
}

/** Whether the event has no content except its text. */
function mayRepeat(document: JsonDocument): boolean {
  const { usage } = document.value;
  const isOpen = choicesOf(document.value).every(({ finish_reason: finish }) => !isFinish(finish));
  return isOpen && (usage === undefined || usage === null);
}

function hasOnlyText(data: string, text: string, slot: string): boolean {
  const choices = choicesOf(tryReadAnswerJson(data)?.value ?? {});
  const segments = choices.flatMap((choice) => readSegments(choice[contentMember(choice)], indexOf(choice)));
  return segments.length === 1 && segments[0]?.slot === slot && segments[0].text === text;
}
