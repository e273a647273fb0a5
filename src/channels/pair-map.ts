// A map by two names, for what is looked up by the same pair again and again: no name of both is made to look.

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

  deleteWhere(isMeant: (value: Value) => boolean): void {
    for (const [first, bySecond] of this.#byFirst) {
      for (const [second, value] of bySecond) if (isMeant(value)) bySecond.delete(second);
      if (bySecond.size === 0) this.#byFirst.delete(first);
    }
  }
}
