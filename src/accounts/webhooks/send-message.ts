// One attempt to deliver a signed message: with a timeout, and with a result that says what the receiver answered, or in
// our own words why there is no answer.

import { type Post, PostRefused } from '../../channels/post-message.ts';
import type { Clock } from '../../kit/clock.ts';
import { type SignedMessage, webhookHeaders } from '../../kit/webhook-signature.ts';

export interface MessageTools {
  post: Post;
  clock: Clock;
}

interface OutgoingMessage extends SignedMessage {
  url: string;
  /** It is signed with each; without one it is not signed. */
  secrets: readonly string[];
  timeoutMs: number;
}

export interface Attempted {
  isDelivered: boolean;
  /** Null without a response. */
  status: number | null;
  /** Why it was not delivered; null if it was. */
  detail: string | null;
  ms: number;
}

/** Rejects only if `signal` ended it. */
export async function sendMessage(
  { post, clock }: MessageTools,
  { url, secrets, timeoutMs, ...message }: OutgoingMessage,
  signal?: AbortSignal,
): Promise<Attempted> {
  const startedAt = clock.monotonic();
  const timeout = new AbortController();
  const cancel = clock.after(timeoutMs, () => timeout.abort());
  const ended = (status: number | null, detail: string | null): Attempted => ({
    isDelivered: detail === null,
    status,
    detail,
    ms: Math.round(clock.monotonic() - startedAt),
  });
  try {
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'ai-gateway-service',
      ...webhookHeaders(message, secrets, clock.now()),
    };
    const limited = signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal;
    const status = await post({ url, headers, body: message.body }, limited);
    return ended(status, status >= 200 && status < 300 ? null : `it answered ${status}`);
  } catch (error) {
    if (signal?.aborted) throw error;
    if (timeout.signal.aborted) return ended(null, `no answer within ${timeoutMs / 1_000} s`);
    return ended(null, error instanceof PostRefused ? error.message : 'it could not be reached');
  } finally {
    cancel();
  }
}
