// Between the two ways to say how much a model shall think: a word, or a number of tokens.

const STEPS: readonly (readonly [effort: string, below: number, budget: number])[] = [
  ['low', 2_000, 1_024],
  ['medium', 8_000, 4_096],
  ['high', 24_000, 16_384],
  ['xhigh', 64_000, 32_768],
];
const MOST_BUDGET = 65_536;

/** No budget is called `max`: a number is a bound, and that word is none. */
export function effortOf(budget: number): string {
  return STEPS.find(([, below]) => budget < below)?.[0] ?? 'xhigh';
}

/** Without a word: as much as models think by themselves. */
export function budgetOf(effort: string | undefined): number {
  if (effort === 'max') return MOST_BUDGET;
  const found = STEPS.find(([word]) => word === (effort ?? 'high')) ?? (effort === 'minimal' ? STEPS[0] : STEPS[2]);
  return found?.[2] ?? MOST_BUDGET;
}
