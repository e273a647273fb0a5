// Why one attempt on one channel did not serve. `refusal` is set when the request itself is at fault: no channel will do.

import type { UsageReport } from '../dialects/dialect.ts';
import type { Fault } from '../faults/fault.ts';
import { type AttemptOutcome, OUTCOMES } from './outcomes.ts';

interface FailureFacts {
  /** The request itself is at fault. */
  refusal?: Fault;
  retryAfterS?: number | undefined;
  /** Its reasoning was sealed by another account than this channel's, and only that account can read it. */
  isSealed?: boolean;
  /** What the upstream reported of it. */
  usage?: UsageReport | undefined;
  /** This channel refuses what another may take: an id that its account does not have, or content that a firewall stops. */
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

  /** Not the fault of one channel: no other is tried. */
  get endsCall(): boolean {
    return OUTCOMES[this.outcome].endsCall === true;
  }

  /** The request is refused for a reason of this channel's own: other channels are asked, too. */
  get isChannelSpecific(): boolean {
    return this.isSealed || this.mayServeElsewhere;
  }

  /** The request itself is refused: every channel would refuse it. */
  get isFinal(): boolean {
    return this.refusal !== undefined && !this.isTooLong && !this.isChannelSpecific;
  }

  /** The prompt does not fit this model: another one may take it. */
  get isTooLong(): boolean {
    return this.refusal?.code === 'context_length_exceeded';
  }
}
