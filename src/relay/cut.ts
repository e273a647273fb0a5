// The end of a drain's patience, told to everything that still runs. Thousands of streams listen: on the signal itself,
// each that ends would be looked for among all the others.

export interface Cut {
  signal: AbortSignal;
  /** Runs `task` when what still runs is cut; the result takes it back. */
  listen(task: () => void): () => void;
}

export function createCut(signal: AbortSignal): Cut {
  const tasks = new Set<() => void>();
  signal.addEventListener('abort', () => {
    for (const task of [...tasks]) runAlone(task);
    tasks.clear();
  });
  return {
    signal,
    listen(task) {
      tasks.add(task);
      return () => tasks.delete(task);
    },
  };
}

/** One that fails keeps the news from none of the others. */
function runAlone(task: () => void): void {
  try {
    task();
  } catch {
    // Its stream ends with its connection.
  }
}
