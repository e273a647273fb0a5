// The limits on one attempt: one abort signal that the client's leaving, our drain, and each timer can pull, and which
// remembers who pulled it.

import type { Clock } from '../kit/clock.ts';
import { AttemptFailed, type AttemptOutcome } from './attempt-failed.ts';
import type { Call, RelayTools } from './call.ts';

export interface Watch {
  signal: AbortSignal;
  /** Starts, or starts again, the timer of this name. */
  limit(outcome: AttemptOutcome, ms: number): void;
  clear(outcome: AttemptOutcome): void;
  abort(outcome: AttemptOutcome): void;
  /** The reason for an error that happened under this watch. */
  explain(error: unknown): AttemptFailed;
  /** From here on the client's leaving ends nothing. */
  outliveClient(): void;
  /** Ends all timers; must be called once. */
  end(): void;
}

export function createWatch(tools: Pick<RelayTools, 'clock' | 'cut'>, call: Pick<Call, 'gone'>): Watch {
  const controller = new AbortController();
  const timers = new Map<AttemptOutcome, () => void>();
  const abort = (outcome: AttemptOutcome) => controller.abort(new AttemptFailed(outcome));
  const onGone = () => abort('client_gone');
  const onCut = () => abort('drained');
  if (call.gone.aborted) onGone();
  if (tools.cut.aborted) onCut();
  call.gone.addEventListener('abort', onGone, { once: true });
  tools.cut.addEventListener('abort', onCut, { once: true });
  const clock: Clock = tools.clock;

  return {
    signal: controller.signal,
    limit(outcome, ms) {
      timers.get(outcome)?.();
      timers.set(
        outcome,
        clock.after(ms, () => abort(outcome)),
      );
    },
    clear(outcome) {
      timers.get(outcome)?.();
      timers.delete(outcome);
    },
    abort,
    explain(error) {
      if (controller.signal.reason instanceof AttemptFailed) return controller.signal.reason;
      return error instanceof AttemptFailed ? error : new AttemptFailed('network_error');
    },
    outliveClient: () => call.gone.removeEventListener('abort', onGone),
    end() {
      for (const cancel of timers.values()) cancel();
      timers.clear();
      call.gone.removeEventListener('abort', onGone);
      tools.cut.removeEventListener('abort', onCut);
    },
  };
}
