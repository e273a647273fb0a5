// One try on one channel, up to the moment the answer has really begun: the whole of a JSON answer, or the first
// meaningful event of a stream. Until then another channel can still take over.

import type { Route } from '../catalog/catalog.ts';
import { readFailure } from '../channels/read-failure.ts';
import type { Carrier } from '../dialects/carrier.ts';
import type { AnswerFacts, StreamEvent, StreamReader } from '../dialects/dialect.ts';
import { createSseReader, type SseEvent, type SseReader, SseTooLong } from '../dialects/sse.ts';
import type { FetchedMedia } from '../dialects/translate/named-media.ts';
import { Fault } from '../faults/fault.ts';
import { failpoint } from '../kit/failpoint.ts';
import { type JsonDocument, readJsonObject } from '../kit/json.ts';
import { describeError } from '../kit/log.ts';
import { lowerThinkingBudget } from '../ledger/cost.ts';
import { AttemptFailed, classifyFailure } from './attempt-failed.ts';
import type { Admission, Call, RelayTools } from './call.ts';
import type { Step } from './plan.ts';
import { readBytes, readText } from './read-body.ts';
import { createWatch, type Watch } from './watch.ts';

export interface WholeAnswer {
  kind: 'whole';
  carrier: Carrier;
  /** In the client's dialect. */
  document: JsonDocument;
  facts: AnswerFacts;
}

export interface BegunStream {
  kind: 'stream';
  carrier: Carrier;
  reader: StreamReader;
  /** Everything from the first event on, including what was read to find the beginning. */
  events: AsyncGenerator<StreamEvent>;
  firstTokenMs: number;
  watch: Watch;
}

export type Begun = WholeAnswer | BegunStream;

/** The part of an answer that the client has already. */
export interface Prefill {
  text: string;
  tokens: number;
}

/** Events before the first word, or after the last: more than this is no answer but a flood. */
const MAX_WORDLESS_EVENTS = 1_000;
const SPLIT_BYTES = 16 * 1024;
/** After the answer itself is whole: for usage and the end mark, which some upstreams never send. */
const LAST_WORDS_MS = 500;

/** Throws AttemptFailed. */
export async function attempt(
  tools: RelayTools,
  admission: Admission,
  { model, route }: Step,
  prefill?: Prefill,
): Promise<Begun> {
  const { call } = admission;
  const { request } = call;
  const watch = createWatch(tools, call);
  const left = Math.max(1, admission.deadline - tools.clock.monotonic());
  watch.limit('too_slow', Math.min(route.channel.timeouts.totalMs, left));
  if (request.stream) watch.limit('silent', route.firstTokenMs);
  try {
    const upstream = tools.findUpstream(route.channel);
    const carrier = carrierOf(call, route);
    const maxOutputTokens = outputBound(Math.min(admission.maxOutputTokens, model.maxOutputTokens), prefill?.tokens);
    const fields = {
      model: route.model,
      maxOutputTokens,
      // A fallback may give less than the model that was asked for.
      thinkingBudget: lowerThinkingBudget(request, maxOutputTokens),
      limitField: route.channel.quirks.limitField,
    };
    const body = await writeBody(tools, carrier, watch, (fetched) =>
      prefill ? carrier.writePrefill(fields, prefill.text, fetched) : carrier.writeRequest(fields, fetched),
    );
    const { stream } = request;
    const { headers } = call;
    const response = await upstream.send({
      endpoint: carrier.endpoint,
      model: route.model,
      body,
      stream,
      headers,
      signal: watch.signal,
    });
    failpoint('K3');
    if (response.status !== 200) {
      const text = await readText(response, watch);
      throw classifyFailure(readFailure(response.status, response.headers, text, upstream.hidden));
    }
    if (stream) return await beginStream(tools, admission, route, carrier, response, watch);
    const whole = await readWhole(carrier, response, watch);
    watch.end();
    return whole;
  } catch (error) {
    if (isOurs(error))
      tools.log('error', 'attempt_failed', { request_id: call.requestId, detail: describeError(error) });
    const failed = watch.explain(error);
    watch.abort(failed.outcome);
    watch.end();
    throw failed;
  }
}

/** What the client has already is part of its bound; a continuation has room for one token at least. */
function outputBound(tokens: number, prefilled: number | undefined): number {
  return prefilled === undefined ? tokens : Math.max(1, tokens - prefilled);
}

/** Neither an outcome we know nor an error of the network, which bears a code: then it is a bug. */
function isOurs(error: unknown): boolean {
  return !(
    error instanceof AttemptFailed ||
    error instanceof DOMException ||
    (error instanceof Error && 'code' in error)
  );
}

function carrierOf(call: Call, route: Route): Carrier {
  const found = call.findCarrier(route);
  if (found instanceof Fault) throw new AttemptFailed('request_refused', found);
  return found;
}

/** What cannot be fetched, or is not what it was said to be, is the client's to mend: it named it. */
async function writeBody(
  tools: RelayTools,
  { needs }: Carrier,
  { signal }: Watch,
  write: (fetched: FetchedMedia | undefined) => string,
): Promise<string> {
  try {
    return write(needs.length > 0 ? await tools.fetchMedia(needs, signal) : undefined);
  } catch (error) {
    throw error instanceof Fault ? new AttemptFailed('request_refused', error) : error;
  }
}

async function readWhole(carrier: Carrier, response: Response, watch: Watch): Promise<WholeAnswer> {
  const answer = carrier.readAnswer(parseAnswer(await readText(response, watch)));
  if (!answer) throw new AttemptFailed('not_an_answer');
  return { kind: 'whole', carrier, ...answer };
}

function parseAnswer(text: string): JsonDocument {
  try {
    return readJsonObject(text, { depth: 256, nodes: 5_000_000 });
  } catch {
    throw new AttemptFailed('not_an_answer');
  }
}

async function beginStream(
  tools: RelayTools,
  { startedAt }: Admission,
  route: Route,
  carrier: Carrier,
  response: Response,
  watch: Watch,
): Promise<BegunStream> {
  if (!/^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')) {
    throw new AttemptFailed('not_an_answer');
  }
  const reader = carrier.createStreamReader();
  const rest = readEvents(response, reader, watch, route.channel.timeouts.idleMs);
  const first: StreamEvent[] = [];
  for (;;) {
    const { done, value } = await rest.next();
    if ((done || value.kind === 'done') && !reader.facts().finished) throw new AttemptFailed('cut');
    if (done) break;
    if (value.kind === 'broken') throw new AttemptFailed('error_event');
    first.push(value);
    if (value.kind !== 'other') break;
    if (first.length > MAX_WORDLESS_EVENTS) throw new AttemptFailed('flood');
  }
  watch.clear('silent');
  const firstTokenMs = tools.clock.monotonic() - startedAt;
  return { kind: 'stream', carrier, reader, events: joined(first, rest), firstTokenMs, watch };
}

async function* readEvents(
  response: Response,
  reader: StreamReader,
  watch: Watch,
  idleMs: number,
): AsyncGenerator<StreamEvent> {
  const sse = createSseReader();
  let held = 0;
  const patience = () => (reader.facts().finished ? Math.min(idleMs, LAST_WORDS_MS) : idleMs);
  for await (const bytes of readBytes(response, watch, patience)) {
    for (const event of splitEvents(sse, bytes)) {
      if (event.data === undefined) continue;
      for (const read of reader.read(event)) {
        if (read.kind === 'held' && ++held > MAX_WORDLESS_EVENTS) throw new AttemptFailed('flood');
        yield read;
      }
    }
  }
  yield* reader.end();
}

/** A slow client may leave this waiting for long, so only a little of a large piece is split at a time. */
function* splitEvents(sse: SseReader, bytes: Uint8Array): Generator<SseEvent> {
  try {
    for (let at = 0; at < bytes.byteLength; at += SPLIT_BYTES) yield* sse.push(bytes.subarray(at, at + SPLIT_BYTES));
  } catch (error) {
    throw error instanceof SseTooLong ? new AttemptFailed('flood') : error;
  }
}

async function* joined(first: readonly StreamEvent[], rest: AsyncGenerator<StreamEvent>): AsyncGenerator<StreamEvent> {
  try {
    yield* first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
