// Why one try on one channel did not serve. `refusal` is set when the request itself is at fault: no channel will do.

import type { Fault } from '../faults/fault.ts';

export type AttemptOutcome =
  | 'network_error'
  | 'silent'
  | 'idle'
  | 'too_slow'
  | 'not_an_answer'
  | 'error_event'
  | 'gave_up'
  | 'cut'
  | 'rate_limited'
  | 'refused_our_key'
  | 'exhausted'
  | 'route_missing'
  | 'looped'
  | 'upstream_error'
  | 'request_refused'
  | 'mismatch'
  | 'flood'
  /** The answer is more than we take, or have room for: another channel's would be, too. */
  | 'too_large'
  | 'client_gone'
  | 'drained'
  /** Another node has released the hold: nothing would pay for the try, so there is none, and no line of the receipt. */
  | 'hold_lost'
  /** We left the try ourselves, because it is over or another took its place. It ends the signal and is recorded nowhere. */
  | 'left';

/** What a line of a receipt says of its try. */
export type ToldOutcome = Exclude<AttemptOutcome, 'hold_lost' | 'left'> | 'ok';

export interface FailureFacts {
  /** The request itself is at fault. */
  refusal?: Fault;
  retryAfterS?: number | undefined;
  /** Reasoning in it was sealed by another account than this channel's: who sealed it can read it. */
  isSealed?: boolean;
  /** It names something by an id that this channel's account does not have: another's may. */
  isElsewhere?: boolean;
}

export class AttemptFailed extends Error {
  override name = 'AttemptFailed';
  readonly refusal: Fault | undefined;
  readonly retryAfterS: number | undefined;
  readonly isSealed: boolean;
  readonly isElsewhere: boolean;
  constructor(
    readonly outcome: AttemptOutcome,
    { refusal, retryAfterS, isSealed = false, isElsewhere = false }: FailureFacts = {},
  ) {
    super(outcome);
    this.refusal = refusal;
    this.retryAfterS = retryAfterS;
    this.isSealed = isSealed;
    this.isElsewhere = isElsewhere;
  }

  /** It says nothing of one channel: no other is tried. */
  get endsCall(): boolean {
    return this.outcome === 'client_gone' || this.outcome === 'drained' || this.outcome === 'hold_lost';
  }

  /** The request is refused for what belongs to another account than this channel's: other channels are asked, too. */
  get isForeign(): boolean {
    return this.isSealed || this.isElsewhere;
  }

  /** The prompt does not fit this model: another one may take it. */
  get isTooLong(): boolean {
    return this.refusal?.code === 'context_length_exceeded';
  }
}
