// Something that takes a while to load: whoever asks meanwhile waits for the same, and what could not be loaded is tried anew
// by the next who asks.

export function loadOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loaded: Promise<Value> | undefined;
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}
