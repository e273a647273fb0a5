// Notifies all running streams when the time limit of a drain is over. Thousands listen: removing one of them from an abort
// signal takes a linear search.

export interface DrainDeadline {
  signal: AbortSignal;
  /** The listener is called when the drain's time is over, unless it is forgotten before. */
  listen(listener: DrainListener): void;
  forget(listener: DrainListener): void;
}

export interface DrainListener {
  onDrainDeadline(): void;
  /** Its index in the list of listeners; only the drain deadline writes it. */
  drainIndex: number;
}

/** A list instead of a Set: the runtime keeps entries deleted from a busy Set, and everything they refer to, for seconds. */
export function createDrainDeadline(signal: AbortSignal): DrainDeadline {
  const listeners: DrainListener[] = [];
  signal.addEventListener('abort', () => {
    for (const listener of listeners.splice(0)) notify(listener);
  });
  return {
    signal,
    listen(listener) {
      listener.drainIndex = listeners.push(listener) - 1;
    },
    forget(listener) {
      const { drainIndex } = listener;
      if (listeners[drainIndex] !== listener) return;
      const last = listeners.pop();
      if (!last || last === listener) return;
      listeners[drainIndex] = last;
      last.drainIndex = drainIndex;
    },
  };
}

/** A listener that throws does not keep others from being called. */
function notify(listener: DrainListener): void {
  try {
    listener.onDrainDeadline();
  } catch {
    // Its stream ends with its connection.
  }
}
