// A map with two-part keys that builds no combined key for a lookup.

export class PairMap<Value> {
  readonly #byFirst = new Map<string, Map<string, Value>>();

  get(first: string, second: string): Value | undefined {
    return this.#byFirst.get(first)?.get(second);
  }

  set(first: string, second: string, value: Value): void {
    const known = this.#byFirst.get(first);
    if (known) known.set(second, value);
    else this.#byFirst.set(first, new Map([[second, value]]));
  }

  *values(): Generator<Value> {
    for (const bySecond of this.#byFirst.values()) yield* bySecond.values();
  }

  deleteWhere(matches: (value: Value) => boolean): void {
    for (const [first, bySecond] of this.#byFirst) {
      for (const [second, value] of bySecond) if (matches(value)) bySecond.delete(second);
      if (bySecond.size === 0) this.#byFirst.delete(first);
    }
  }
}
