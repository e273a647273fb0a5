// The token weight of an answer's text without its images, where images are inside the text and counted with it.

interface WordMeter {
  /** Ignores everything that is counted during `act`: it is not text. */
  exclude<T>(act: () => T): T;
  weight(): number;
}

/** `counted` is the weight of all text so far. */
export function createWordMeter(counted: () => number): WordMeter {
  let before = 0;
  /** Words are counted from here on. The weight of pictures is never subtracted: a rest of it would be taken for a word. */
  let from = 0;
  const weight = () => before + (counted() - from);
  return {
    exclude(act) {
      before = weight();
      const done = act();
      from = counted();
      return done;
    },
    weight,
  };
}
