// Randomness is injected, like time.

export interface Random {
  bytes(length: number): Uint8Array;
  /** A number in [0, 1) for jitter and weights; never for secrets. */
  fraction(): number;
}

export const systemRandom: Random = {
  bytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
  fraction: () => Math.random(),
};
