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
  /** The upstream is waited for, and is idle if it says nothing for so long. */
  wait(ms: number): void;
  /** It has said something, or nobody waits for it. */
  rest(): void;
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
  if (tools.cut.signal.aborted) onCut();
  call.gone.addEventListener('abort', onGone, { once: true });
  const forgetCut = tools.cut.listen(onCut);
  const clock: Clock = tools.clock;
  const idle = createIdleTimer(clock, () => abort('idle'));

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
    wait: idle.wait,
    rest: idle.rest,
    abort,
    explain(error) {
      if (controller.signal.reason instanceof AttemptFailed) return controller.signal.reason;
      return error instanceof AttemptFailed ? error : new AttemptFailed('network_error');
    },
    outliveClient: () => call.gone.removeEventListener('abort', onGone),
    end() {
      for (const cancel of timers.values()) cancel();
      timers.clear();
      idle.end();
      call.gone.removeEventListener('abort', onGone);
      forgetCut();
    },
  };
}

/** One timer for all the waits of a stream: it looks at the clock when it is due, and is set again for what is left. */
function createIdleTimer(clock: Clock, onIdle: () => void) {
  let since = 0;
  let patience = 0;
  let isWaiting = false;
  let cancel: (() => void) | undefined;

  function look(): void {
    cancel = undefined;
    if (!isWaiting) return;
    const left = since + patience - clock.monotonic();
    if (left > 0) cancel = clock.after(left, look);
    else onIdle();
  }

  return {
    wait(ms: number): void {
      since = clock.monotonic();
      isWaiting = true;
      if (cancel && ms >= patience) {
        patience = ms;
        return;
      }
      cancel?.();
      patience = ms;
      cancel = clock.after(ms, look);
    },
    rest(): void {
      isWaiting = false;
    },
    end(): void {
      isWaiting = false;
      cancel?.();
      cancel = undefined;
    },
  };
}
