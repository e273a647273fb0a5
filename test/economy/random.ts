// Numbers that look random and are the same for the same seed.

export interface Draw {
  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number;
  oneOf<Value>(values: readonly Value[]): Value;
  chance(share: number): boolean;
}

export function drawFrom(seed: number): Draw {
  let state = seed >>> 0;
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    between: (least, most) => least + Math.floor(fraction() * (most - least + 1)),
    oneOf<Value>(values: readonly Value[]) {
      const value = values[Math.floor(fraction() * values.length)];
      if (value === undefined) throw new Error('there is nothing to choose from');
      return value;
    },
    chance: (share) => fraction() < share,
  };
}
