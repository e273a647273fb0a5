/** @jsxImportSource hono/jsx */
// What may be wider than the screen: it scrolls by itself, with a keyboard too, and says what it is.

import type { Child } from 'hono/jsx';

export function Scroll({ label, children }: { label: string; children?: Child }) {
  return (
    <section class="scroll" tabindex={0} aria-label={label}>
      {children}
    </section>
  );
}
