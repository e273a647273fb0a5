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
}

export function createCut(signal: AbortSignal): Cut {
  const listeners = new Set<CutListener>();
  signal.addEventListener('abort', () => {
    for (const listener of [...listeners]) tell(listener);
    listeners.clear();
  });
  return {
    signal,
    listen: (listener) => void listeners.add(listener),
    forget: (listener) => void listeners.delete(listener),
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
