// One call to a channel for the operator, timed and bounded. Nothing of the answer is shown but what `read` takes out of a
// JSON object, and of an error its cleaned message: a channel may have any address.

import type { Channel } from '../../catalog/catalog.ts';
import { readBoundedText } from '../../channels/read-bounded-text.ts';
import { readFailure } from '../../channels/read-failure.ts';
import type { Upstream } from '../../channels/upstream.ts';
import { codeOf } from '../../kit/error-code.ts';
import { isObject, type JsonObject, tryParseJson } from '../../kit/json/json.ts';
import type { OperatingTools } from './tools.ts';
import { type Problem, problemOfFailure } from './upstream-problems.ts';

interface CallFailure {
  problem: Problem;
  /** Status, code and cleaned message, in English. */
  detail: string;
}

type Outcome<Value> = { ok: true; value: Value } | ({ ok: false } & CallFailure);

/** `firstByteMs`: time to the first byte of the response; null without one. */
export type Called<Value> = Outcome<Value> & { ms: number; firstByteMs: number | null };

const TIMEOUT_MS = 60_000;

interface ChannelCall<Value> {
  send(upstream: Upstream, signal: AbortSignal): Promise<Response>;
  /** Undefined if the object is no such answer. */
  read(answer: JsonObject): Value | undefined;
  maxBytes: number;
  timeoutMs?: number;
}

export async function callChannel<Value>(
  { clock, findUpstream }: Pick<OperatingTools, 'clock' | 'findUpstream'>,
  channel: Channel,
  call: ChannelCall<Value>,
): Promise<Called<Value>> {
  const upstream = findUpstream(channel);
  const startedAt = clock.monotonic();
  const since = () => Math.round(clock.monotonic() - startedAt);
  const timeout = new AbortController();
  const cancel = clock.after(call.timeoutMs ?? TIMEOUT_MS, () => timeout.abort());
  let firstByteMs: number | null = null;
  try {
    const response = await call.send(upstream, timeout.signal);
    firstByteMs = since();
    const outcome = await readOutcome(response, upstream, call);
    return { ...outcome, ms: since(), firstByteMs };
  } catch (error) {
    const failed = timeout.signal.aborted
      ? ({ problem: 'slow', detail: 'no answer in time' } as const)
      : ({ problem: 'connection', detail: networkFault(error) } as const);
    return { ok: false, ...failed, ms: since(), firstByteMs };
  } finally {
    cancel();
  }
}

async function readOutcome<Value>(
  response: Response,
  { hidden }: Upstream,
  { read, maxBytes }: ChannelCall<Value>,
): Promise<Outcome<Value>> {
  const text = await readBoundedText(response, maxBytes);
  if (text === undefined) return { ok: false, problem: 'answer', detail: 'its answer is too large for a test' };
  const { status } = response;
  const answer = tryParseJson(text);
  const isError = status !== 200 || (isObject(answer) && isObject(answer.error));
  if (!isError) {
    const value = isObject(answer) ? read(answer) : undefined;
    if (value !== undefined) return { ok: true, value };
    // Another service's page, such as a sign-in, also has status 200.
    const what = isObject(answer) ? 'the expected fields' : 'a JSON object';
    return { ok: false, problem: 'answer', detail: `status 200, but not with ${what}: check base_url` };
  }
  const failure = readFailure(response, text, { hidden });
  const { message, code } = failure;
  const detail = `status ${status}${code ? ` (${code})` : ''}${message ? `: ${message}` : ''}`;
  return { ok: false, problem: status === 200 ? 'request' : problemOfFailure(failure), detail };
}

function networkFault(error: unknown): string {
  const code = codeOf(error);
  return code === undefined ? 'cannot reach it' : `cannot reach it (${code})`;
}
