// How an attempt on a channel can fail, and what follows: whether the same channel is tried again, whether the failure counts
// against the channel, and which alarm is raised. docs/relay.md explains them to operators, with each name that a receipt can show.

import type { AlarmName } from '../kit/alarms.ts';

interface OutcomeRow {
  /** False: the client or the gateway ended it, the request is at fault, or the model failed. */
  countsAgainstChannel: boolean;
  /** The same channel is tried again: after a moment, or after its Retry-After, if that is short. */
  retry?: 'soon' | 'after_wait';
  /** For problems that an operator must fix at the upstream. */
  alarm?: AlarmName;
  /** One such failure opens the breaker: no call succeeds until the operator acts. */
  opensAtOnce?: true;
  /** 429: it does not count as one of the failures in a row. */
  isRateLimit?: true;
  /** No request can provoke it: the breaker opens for all accounts. Other failures must come from at least two accounts. */
  concernsAll?: true;
  /** It has nothing to do with the channel: no other is tried. */
  endsCall?: true;
  /** The gateway ended it: a begun stream is not resumed. */
  endsStream?: true;
}

const ROWS = {
  /** No connection, or one that was lost. */
  network_error: { countsAgainstChannel: true, retry: 'soon', concernsAll: true },
  /** Neither a known failure nor a network error: most likely a bug, which a request may provoke. */
  unexplained: { countsAgainstChannel: true, retry: 'soon' },
  /** A 5xx or an unexpected status. */
  upstream_error: { countsAgainstChannel: true, retry: 'soon' },
  /** An error inside the stream that does not blame the request. */
  error_event: { countsAgainstChannel: true, retry: 'soon' },
  /** The stream ended without its end event. */
  cut: { countsAgainstChannel: true, retry: 'soon' },
  /** The model ended without an answer. */
  gave_up: { countsAgainstChannel: false, retry: 'soon' },

  /** No output in time. It is not retried, because the wait was long. */
  silent: { countsAgainstChannel: true },
  /** No output, or no whole answer, in the usual time of the route: another channel answered first, or replaced it. */
  late: { countsAgainstChannel: true },
  /** Called in parallel with a late channel, which answered first after all. */
  outrun: { countsAgainstChannel: false },
  /** No bytes for too long. */
  idle: { countsAgainstChannel: true },
  /** The connection ended after more than 5 s of silence: a retry would most likely end the same. */
  closed_silent: { countsAgainstChannel: true },
  /** The time limit of the attempt or of the request was reached. */
  too_slow: { countsAgainstChannel: true, endsStream: true },

  /** 429. */
  rate_limited: { countsAgainstChannel: true, retry: 'after_wait', isRateLimit: true },
  /** 401, 402, a 403 about our key, or an equivalent code. */
  refused_our_key: {
    countsAgainstChannel: true,
    alarm: 'upstream_refused_our_key',
    opensAtOnce: true,
    concernsAll: true,
  },
  /** Our account there has no credit or is not served. It opens no breaker, because the message may quote the client. */
  exhausted: { countsAgainstChannel: true, alarm: 'upstream_refused_our_key' },
  /** 404, of the model or the address. */
  route_missing: { countsAgainstChannel: true, alarm: 'upstream_route_missing', concernsAll: true },
  /** The channel leads back to this gateway. */
  looped: { countsAgainstChannel: true, alarm: 'upstream_route_missing', concernsAll: true },

  /** The body is not an answer in this format. */
  not_an_answer: { countsAgainstChannel: true },
  /** The upstream sends too much. */
  flood: { countsAgainstChannel: true },
  /** The answer is larger than our limit or our free memory: another channel's would be, too. */
  too_large: { countsAgainstChannel: false },
  /** The request itself is at fault, or is refused for a reason of this channel's own. */
  request_refused: { countsAgainstChannel: false },
  /** A fresh run differs from what the client has. */
  mismatch: { countsAgainstChannel: false },

  /** It sent far more output than its bound: the answer was ended there. */
  over_bound: { countsAgainstChannel: false },
  client_gone: { countsAgainstChannel: false, endsCall: true },
  /** The gateway stops, or has had no database for too long. */
  drained: { countsAgainstChannel: false, endsCall: true, endsStream: true },
  /** Another node has released the hold: there is no attempt, and no line in the receipt. */
  hold_lost: { countsAgainstChannel: false, endsCall: true },
  /** The gateway ended the attempt, because it is over or was replaced. It aborts the signal and is not recorded. */
  left: { countsAgainstChannel: false },
} satisfies Record<string, OutcomeRow>;

export type AttemptOutcome = keyof typeof ROWS;

/** The outcome of an attempt in a receipt. */
export type ReceiptOutcome = Exclude<AttemptOutcome, 'hold_lost' | 'left'> | 'ok';

export const OUTCOMES: Readonly<Record<AttemptOutcome, OutcomeRow>> = ROWS;
