// Chance that a seed decides.

export interface Dice {
  /** In [0, 1). */
  fraction(): number;
  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number;
  isLuck(chance: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  bytes(length: number): Uint8Array;
  /** Into two parts that are not empty; `bytes` has at least two. */
  split(bytes: Uint8Array): [Uint8Array, Uint8Array];
}

export function createDice(seed: string): Dice {
  const random = generator(seed);
  const fraction = () => random() / 2 ** 32;
  const between = (least: number, most: number) => least + Math.floor(fraction() * (most - least + 1));
  return {
    fraction,
    between,
    isLuck: (chance) => fraction() < chance,
    pick(items) {
      if (items.length === 0) throw new Error('nothing to choose from');
      return items[between(0, items.length - 1)] as (typeof items)[number];
    },
    split(bytes) {
      const at = between(1, bytes.length - 1);
      return [bytes.subarray(0, at), bytes.subarray(at)];
    },
    bytes: (length) => Uint8Array.from({ length }, () => random() & 255),
  };
}

/** The small fast counter of Chris Doty-Humphrey (sfc32): 32 bits at a time. */
function generator(seed: string): () => number {
  const hash = new Bun.CryptoHasher('sha256').update(seed).digest();
  let a = hash.readUInt32LE(0);
  let b = hash.readUInt32LE(4);
  let c = hash.readUInt32LE(8);
  let count = 1;
  return () => {
    const result = (((a + b) | 0) + count) | 0;
    count = (count + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + result;
    c |= 0;
    return result >>> 0;
  };
}
