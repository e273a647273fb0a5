// How one request is sent on one route, and how the answer is read. If client and upstream speak the same dialect, the
// client's own text is sent; otherwise it is translated. The layers above see no difference.

import type { Fault } from '../faults/fault.ts';
import { type JsonDocument, readAnswerJson } from '../kit/json/json.ts';
import { type RawValue, writeJson } from '../kit/json/raw-json.ts';
import type { UpstreamEndpoint } from '../vendors/endpoints.ts';
import type { AnswerFacts, Dialect, RelayRequest, StreamReader, UpstreamFields, UsageReport } from './dialect.ts';
import type { UpstreamBody } from './form/form.ts';
import type { FetchedMedia, NamedMedia } from './media/named-media.ts';
import { applyRemovals, joinTwo, NO_REMOVALS, type Removals } from './removals/removals.ts';
import { type FieldRules, type RemovedFields, removeFields } from './removals/remove-fields.ts';
import { removeVariants } from './removals/remove-members.ts';
import type { SseEvent } from './stream/sse.ts';
import type { TurnReader } from './translate/adapters.ts';

export interface Carrier {
  endpoint: UpstreamEndpoint;
  /**
   * Set if the upstream has a special call for such requests: the same request without it. That call may be missing there,
   * and takes no output bound.
   */
  plainCarrier?: Carrier | undefined;
  isTranslated: boolean;
  /** Settings of the client that are not sent, by its own names. The relay adds those that depend on the route. */
  dropped: readonly string[];
  /** Further fields that are not sent with an output bound of this many tokens. */
  droppedAt?(maxOutputTokens: number): readonly string[];
  /**
   * Further settings that are not sent if sealed reasoning of earlier turns is removed. Undefined if the upstream seals
   * none; messages about it are then only quoted.
   */
  droppedUnsealed?: readonly string[] | undefined;
  /** The reworded fields. */
  reworded: readonly string[];
  /** The service tier that the upstream is asked for, if it is asked for one. */
  serviceTier: string | undefined;
  /** Media to fetch first, because the upstream does not fetch them. */
  needs: readonly NamedMedia[];
  /** `prefill`: the beginning of the answer. */
  writeRequest(fields: UpstreamFields, fetched?: FetchedMedia, prefill?: string): UpstreamBody;
  /** Absent where a paused answer is not continued here: the upstream never pauses one, or the client continues it. */
  turns?: CarriedTurns | undefined;
  /** An answer without content, for a request that wants none; undefined where the upstream itself answers that. */
  emptyAnswer?(): string;
  /** The answer in the client's dialect, or that the model itself gave up. Undefined if it is not a complete answer. */
  readAnswer(document: JsonDocument): CarriedAnswer | GaveUp | undefined;
  /** The same for an answer that was sent as a stream, although a whole one was requested. */
  joinAnswer(events: readonly SseEvent[]): CarriedAnswer | GaveUp | undefined;
  /**
   * Converts the upstream's whole answer to a stream of its format, if a stream was requested; undefined if it is not an
   * answer.
   */
  writeAsStream(document: JsonDocument): string | undefined;
  /** Its events are of the client's dialect. */
  createStreamReader(): StreamReader;
}

export interface CarriedTurns extends TurnReader {
  /** The same request with the content of the turns so far. */
  write(fields: UpstreamFields, content: readonly RawValue[], fetched?: FetchedMedia): string;
}

/** The model itself ended without output; the usage. */
export interface GaveUp {
  gaveUp: UsageReport;
  /** Set if only another request would help. */
  refusal?: Fault | undefined;
}

export interface CarriedAnswer {
  document: JsonDocument;
  facts: AnswerFacts;
  /** Parts of the answer that the client's dialect cannot express. */
  lost: readonly string[];
}

export class SameDialectCarrier implements Carrier {
  readonly isTranslated = false;
  readonly reworded = NOTHING;
  readonly needs = NO_MEDIA;
  readonly endpoint: UpstreamEndpoint;
  readonly plainCarrier: Carrier | undefined;
  dropped: readonly string[];
  readonly #dialect: Dialect;
  readonly #request: RelayRequest;
  readonly #left: Removals;
  readonly #removedFields: RemovedFields;

  /** Throws a fault that names the part that may not be sent. */
  constructor(
    dialect: Dialect,
    request: RelayRequest,
    rules: FieldRules,
    special?: Pick<Carrier, 'endpoint' | 'plainCarrier'>,
  ) {
    const { value } = request.document;
    const left = joinTwo(removeVariants(value), dialect.request.findRemovals?.(value, rules.isFree) ?? NO_REMOVALS);
    const removedFields = removeFields(value, dialect.endpoint, rules);
    this.dropped = left === NO_REMOVALS ? removedFields.named : [...removedFields.named, ...left.names];
    this.endpoint = special?.endpoint ?? dialect.endpoint;
    this.plainCarrier = special?.plainCarrier;
    this.#dialect = dialect;
    this.#request = request;
    this.#left = left;
    this.#removedFields = removedFields;
  }

  get droppedUnsealed(): readonly string[] | undefined {
    return this.#dialect.request.droppedUnsealed?.(this.#sent().document.value);
  }

  get serviceTier(): string | undefined {
    return this.#removedFields.removed.includes('service_tier') ? undefined : this.#request.serviceTier;
  }

  droppedAt(maxOutputTokens: number): readonly string[] {
    return this.#dialect.request.loweredFields?.(this.#request.document.value, maxOutputTokens) ?? NOTHING;
  }

  writeRequest(fields: UpstreamFields, _?: FetchedMedia, prefill?: string): UpstreamBody {
    return this.#dialect.request.write(this.#sent(), fields, this.#removedFields.removed, prefill);
  }

  readAnswer(document: JsonDocument): CarriedAnswer | GaveUp | undefined {
    const facts = this.#dialect.answer.read(document, this.#request);
    if (facts?.gaveUp) return { gaveUp: facts.usage, refusal: facts.refusal };
    return facts && { document, facts, lost: NOTHING };
  }

  joinAnswer(events: readonly SseEvent[]): CarriedAnswer | GaveUp | undefined {
    const joined = this.#dialect.stream.otherForm?.joinStream(events);
    return joined === undefined ? undefined : this.readAnswer(readAnswerJson(writeJson(joined)));
  }

  writeAsStream(document: JsonDocument): string | undefined {
    return this.readAnswer(document) && this.#dialect.stream.otherForm?.writeAsStream(document);
  }

  createStreamReader(): StreamReader {
    return this.#dialect.stream.createReader(this.#request);
  }

  #sent(): RelayRequest {
    const document = applyRemovals(this.#request.document, this.#left);
    return document === this.#request.document ? this.#request : { ...this.#request, document };
  }
}

const NOTHING: readonly string[] = [];
const NO_MEDIA: readonly NamedMedia[] = [];
