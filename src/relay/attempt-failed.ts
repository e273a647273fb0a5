// Why an attempt failed.

import type { UsageReport } from '../dialects/dialect.ts';
import type { Fault } from '../faults/fault.ts';
import { type AttemptOutcome, OUTCOMES } from './outcomes.ts';

interface FailureFacts {
  /** The request itself is at fault. */
  refusal?: Fault | undefined;
  retryAfterS?: number | undefined;
  /** Reasoning in the request was encrypted or signed for another account than this channel's. */
  isSealed?: boolean;
  /** The usage that the upstream reported. */
  usage?: UsageReport | undefined;
  /** Another channel may accept it: an id of another account, or content that a firewall blocks. */
  mayServeElsewhere?: boolean;
}

export class AttemptFailed extends Error {
  override name = 'AttemptFailed';
  readonly refusal: Fault | undefined;
  readonly retryAfterS: number | undefined;
  readonly isSealed: boolean;
  readonly mayServeElsewhere: boolean;
  readonly usage: UsageReport | undefined;
  constructor(
    readonly outcome: AttemptOutcome,
    { refusal, retryAfterS, isSealed = false, mayServeElsewhere = false, usage }: FailureFacts = {},
  ) {
    super(outcome);
    this.refusal = refusal;
    this.retryAfterS = retryAfterS;
    this.isSealed = isSealed;
    this.mayServeElsewhere = mayServeElsewhere;
    this.usage = usage;
  }

  /** No other channel is tried. */
  get endsCall(): boolean {
    return OUTCOMES[this.outcome].endsCall === true;
  }

  /** The refusal depends on the channel: others are tried, too. */
  get isChannelSpecific(): boolean {
    return this.isSealed || this.mayServeElsewhere;
  }

  /** Every channel would refuse the request. */
  get isFinal(): boolean {
    return this.refusal !== undefined && !this.isTooLong && !this.isChannelSpecific;
  }

  /** The prompt does not fit this model: another may accept it. */
  get isTooLong(): boolean {
    return this.refusal?.code === 'context_length_exceeded';
  }
}
