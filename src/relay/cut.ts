// Notifies all running streams when a drain is out of time. Thousands listen: removing one of them from an abort
// signal takes a linear search.

export interface Cut {
  signal: AbortSignal;
  /** The listener is called when the drain's time is over, unless it is forgotten before. */
  listen(listener: CutListener): void;
  forget(listener: CutListener): void;
}

export interface CutListener {
  onCut(): void;
  /** Its place among the listeners, written by the cut alone. */
  cutPlace: number;
}

/** A list and no Set: the runtime keeps what was deleted from a busy Set, and all it refers to, for seconds. */
export function createCut(signal: AbortSignal): Cut {
  const listeners: CutListener[] = [];
  signal.addEventListener('abort', () => {
    for (const listener of listeners.splice(0)) notify(listener);
  });
  return {
    signal,
    listen(listener) {
      listener.cutPlace = listeners.push(listener) - 1;
    },
    forget(listener) {
      const { cutPlace } = listener;
      if (listeners[cutPlace] !== listener) return;
      const last = listeners.pop();
      if (!last || last === listener) return;
      listeners[cutPlace] = last;
      last.cutPlace = cutPlace;
    },
  };
}

/** A listener that throws does not keep others from being called. */
function notify(listener: CutListener): void {
  try {
    listener.onCut();
  } catch {
    // Its stream ends with its connection.
  }
}
