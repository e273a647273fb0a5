// One try on one channel, up to the moment the answer has really begun: the whole of a JSON answer, or the first
// meaningful event of a stream. Until then another channel can still take over.

import { readFailure } from '../channels/read-failure.ts';
import { type AnswerFacts, readAnswer } from '../dialects/openai-chat/read-answer.ts';
import { createStreamReader, type StreamEvent, type StreamReader } from '../dialects/openai-chat/read-stream.ts';
import { writeRequest } from '../dialects/openai-chat/write-request.ts';
import { createSseReader } from '../dialects/sse.ts';
import { failpoint } from '../kit/failpoint.ts';
import { type JsonDocument, readJsonObject } from '../kit/json.ts';
import { AttemptFailed, classifyFailure } from './attempt-failed.ts';
import type { Admission, RelayTools, Route } from './call.ts';
import { readBytes, readText } from './read-body.ts';
import { createWatch, type Watch } from './watch.ts';

export interface WholeAnswer {
  kind: 'whole';
  route: Route;
  document: JsonDocument;
  facts: AnswerFacts;
}

export interface BegunStream {
  kind: 'stream';
  route: Route;
  reader: StreamReader;
  /** Everything from the first event on, including what was read to find the beginning. */
  events: AsyncGenerator<StreamEvent>;
  firstTokenMs: number;
  watch: Watch;
}

export type Begun = WholeAnswer | BegunStream;

/** Throws AttemptFailed. */
export async function attempt(tools: RelayTools, admission: Admission, route: Route): Promise<Begun> {
  const { call } = admission;
  const { stream } = call.request;
  const watch = createWatch(tools, call);
  watch.limit('too_slow', route.channel.timeouts.totalMs);
  if (stream) watch.limit('silent', route.firstTokenMs);
  try {
    const upstream = tools.findUpstream(route.channel);
    const body = writeRequest(call.request, {
      model: route.model,
      maxOutputTokens: admission.maxOutputTokens,
      thinkingBudget: admission.thinkingBudget,
      limitField: upstream.limitField,
    });
    const response = await upstream.send({ endpoint: 'chat', body, stream, signal: watch.signal });
    failpoint('K3');
    if (response.status !== 200) {
      const text = await readText(response, watch);
      throw classifyFailure(readFailure(response.status, response.headers, text, upstream.hidden));
    }
    if (stream) return await beginStream(tools, admission, route, response, watch);
    const whole = await readWhole(route, response, watch);
    watch.end();
    return whole;
  } catch (error) {
    const failed = watch.explain(error);
    watch.abort(failed.outcome);
    watch.end();
    throw failed;
  }
}

async function readWhole(route: Route, response: Response, watch: Watch): Promise<WholeAnswer> {
  const text = await readText(response, watch);
  const document = parseAnswer(text);
  const facts = document && readAnswer(document);
  if (!facts) throw new AttemptFailed('not_an_answer');
  return { kind: 'whole', route, document, facts };
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
  { call, startedAt }: Admission,
  route: Route,
  response: Response,
  watch: Watch,
): Promise<BegunStream> {
  if (!/^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')) {
    throw new AttemptFailed('not_an_answer');
  }
  const reader = createStreamReader(call.request.choices);
  const rest = readEvents(response, reader, watch, route.channel.timeouts.idleMs);
  const first: StreamEvent[] = [];
  for (;;) {
    const { done, value } = await rest.next();
    if ((done || value.kind === 'done') && !reader.facts().finished) throw new AttemptFailed('cut');
    if (done) break;
    if (value.kind === 'broken') throw new AttemptFailed(value.why);
    first.push(value);
    if (value.kind !== 'other') break;
  }
  watch.clear('silent');
  return {
    kind: 'stream',
    route,
    reader,
    events: joined(first, rest),
    firstTokenMs: tools.clock.monotonic() - startedAt,
    watch,
  };
}

async function* readEvents(
  response: Response,
  reader: StreamReader,
  watch: Watch,
  idleMs: number,
): AsyncGenerator<StreamEvent> {
  const sse = createSseReader();
  watch.limit('idle', idleMs);
  for await (const bytes of readBytes(response, watch)) {
    watch.limit('idle', idleMs);
    for (const { data } of sse.push(bytes)) {
      if (data !== undefined) yield reader.read(data);
    }
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
