// Why one try on one channel did not serve. `refusal` is set when the request itself is at fault: no channel will do.

import type { UsageReport } from '../dialects/dialect.ts';
import type { Fault } from '../faults/fault.ts';
import { type AttemptOutcome, OUTCOMES } from './outcomes.ts';

export interface FailureFacts {
  /** The request itself is at fault. */
  refusal?: Fault;
  retryAfterS?: number | undefined;
  /** Reasoning in it was sealed by another account than this channel's: who sealed it can read it. */
  isSealed?: boolean;
  /** What the upstream reported of it. */
  usage?: UsageReport | undefined;
  /** It names something by an id that this channel's account does not have: another's may. */
  isElsewhere?: boolean;
}

export class AttemptFailed extends Error {
  override name = 'AttemptFailed';
  readonly refusal: Fault | undefined;
  readonly retryAfterS: number | undefined;
  readonly isSealed: boolean;
  readonly isElsewhere: boolean;
  readonly usage: UsageReport | undefined;
  constructor(
    readonly outcome: AttemptOutcome,
    { refusal, retryAfterS, isSealed = false, isElsewhere = false, usage }: FailureFacts = {},
  ) {
    super(outcome);
    this.refusal = refusal;
    this.retryAfterS = retryAfterS;
    this.isSealed = isSealed;
    this.isElsewhere = isElsewhere;
    this.usage = usage;
  }

  /** It says nothing of one channel: no other is tried. */
  get endsCall(): boolean {
    return OUTCOMES[this.outcome].endsCall === true;
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
