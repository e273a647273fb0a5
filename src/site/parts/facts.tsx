/** @jsxImportSource hono/jsx */
// A short list of facts: what each is called, and what it is.

import type { Child } from 'hono/jsx';

export type Fact = readonly [title: string, value: Child];

interface FactsProps {
  facts: readonly Fact[];
  /** Each has the whole width. */
  isWide?: boolean;
}

export function Facts({ facts, isWide = false }: FactsProps) {
  return (
    <dl class={isWide ? 'facts is-wide' : 'facts'}>
      {facts.map(([title, value]) => (
        <div>
          <dt>{title}</dt>
          <dd class="id">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
