// The end of a drain's patience, told to everything that still runs. Thousands of streams listen: on the signal itself,
// each that ends would be looked for among all the others.

export interface Cut {
  signal: AbortSignal;
  /** It is told when what still runs is cut, unless it is forgotten before. */
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
    for (const listener of listeners.splice(0)) tell(listener);
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

/** One that fails keeps the news from none of the others. */
function tell(listener: CutListener): void {
  try {
    listener.onCut();
  } catch {
    // Its stream ends with its connection.
  }
}
