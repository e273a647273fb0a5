/** @jsxImportSource hono/jsx */
// A short list of facts: what each is called, and what it is.

import type { Child } from 'hono/jsx';

export type Fact = readonly [title: string, value: Child];

export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(([title, value]) => (
        <div>
          <dt>{title}</dt>
          <dd class="id">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
