// How an attempt on a channel can end without serving, and what follows from each end: whether the same channel is asked again,
// whether it is blamed, who is alarmed. docs/relay.md explains them to operators, with each name that a receipt can show.

import type { AlarmName } from '../kit/alarms.ts';

interface OutcomeRow {
  /** Nobody: the client or we ended it, the request itself asks too much, or the model lost its way. */
  blames: 'channel' | 'nobody';
  /** The same channel may well answer a second time: after a moment, or after its Retry-After, if that is short. */
  retry?: 'soon' | 'after_wait';
  /** Something that an operator must mend at the upstream. */
  alarm?: AlarmName;
  /** The breaker need not count: nobody is served until the operator acts. */
  opensAtOnce?: true;
  /** 429: the channel answers, so it is none of the failures in a row. */
  isRateLimit?: true;
  /** No request can provoke it: the breaker counts it for all accounts. Of others at least two accounts must have met some. */
  concernsAll?: true;
  /** It says nothing of one channel: no other is tried. */
  endsCall?: true;
  /** We ended it ourselves, and another run of a begun stream would fare no better. */
  endsStream?: true;
}

const ROWS = {
  /** No connection, or one that was lost while the upstream was at work. */
  network_error: { blames: 'channel', retry: 'soon', concernsAll: true },
  /** An error that is none of the network: most likely a bug of ours, which a request may provoke. */
  unexplained: { blames: 'channel', retry: 'soon' },
  /** A status of failure, or one that nobody expects. */
  upstream_error: { blames: 'channel', retry: 'soon' },
  /** An error inside the stream that does not blame the request. */
  error_event: { blames: 'channel', retry: 'soon' },
  /** The stream has no end. */
  cut: { blames: 'channel', retry: 'soon' },
  /** The model itself ended without an answer. */
  gave_up: { blames: 'nobody', retry: 'soon' },

  /** No output in time. It is not repeated: the wait was long enough. */
  silent: { blames: 'channel' },
  /** No output, or no whole answer, in the usual time of the route: another channel was first, or replaced it. */
  late: { blames: 'channel' },
  /** Asked beside a late channel, which was first after all. */
  outrun: { blames: 'nobody' },
  /** Not a byte for too long. */
  idle: { blames: 'channel' },
  /** The connection ended after more than 5 s of silence: whatever closed it would most likely do so again. */
  closed_silent: { blames: 'channel' },
  /** Not done in the time of an attempt, or of the request. */
  too_slow: { blames: 'channel', endsStream: true },

  /** 429. */
  rate_limited: { blames: 'channel', retry: 'after_wait', isRateLimit: true },
  /** 401, 402, a 403 that speaks of our key, or a code that says as much. */
  refused_our_key: { blames: 'channel', alarm: 'upstream_refused_our_key', opensAtOnce: true, concernsAll: true },
  /** Our account there is empty, or not served. Recognised by the message, which may quote the caller's text, so it does not close a channel. */
  exhausted: { blames: 'channel', alarm: 'upstream_refused_our_key' },
  /** 404, of the model or the address. */
  route_missing: { blames: 'channel', alarm: 'upstream_route_missing', concernsAll: true },
  /** The channel leads back to this gateway. */
  looped: { blames: 'channel', alarm: 'upstream_route_missing', concernsAll: true },

  /** The body is no answer in this format. */
  not_an_answer: { blames: 'channel' },
  /** There is no end to it. */
  flood: { blames: 'channel' },
  /** The answer is larger than our limit or our free memory: another channel's would be, too. */
  too_large: { blames: 'nobody' },
  /** The request itself is at fault, or is refused for a reason of this channel's own. */
  request_refused: { blames: 'nobody' },
  /** A fresh run said something else than what the client has. */
  mismatch: { blames: 'nobody' },

  /** It said far more than the bound that it was given: the answer was ended there. */
  over_bound: { blames: 'nobody' },
  client_gone: { blames: 'nobody', endsCall: true },
  /** We stop, or have had no database for too long. */
  drained: { blames: 'nobody', endsCall: true, endsStream: true },
  /** Another node has released the hold: nothing would pay for the attempt, so there is none, and no line of the receipt. */
  hold_lost: { blames: 'nobody', endsCall: true },
  /** We left the attempt ourselves, because it is over or another took its place. It ends the signal and is recorded nowhere. */
  left: { blames: 'nobody' },
} satisfies Record<string, OutcomeRow>;

export type AttemptOutcome = keyof typeof ROWS;

/** The outcome of an attempt in a receipt. */
export type ReceiptOutcome = Exclude<AttemptOutcome, 'hold_lost' | 'left'> | 'ok';

export const OUTCOMES: Readonly<Record<AttemptOutcome, OutcomeRow>> = ROWS;
