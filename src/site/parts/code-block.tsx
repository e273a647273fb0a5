/** @jsxImportSource hono/jsx */
// Something to copy. The button appears only where a script can serve it.

export interface CodeBlockProps {
  code: string;
  /** What the button says, before and after. */
  label: string;
  done: string;
  /** A key: it wraps, and one click selects it whole. */
  isSecret?: boolean;
}

export function CodeBlock({ code, label, done, isSecret = false }: CodeBlockProps) {
  return (
    <div class="copy">
      <pre tabindex={0} class={isSecret ? 'secret' : ''}>
        <code>{code}</code>
      </pre>
      <button type="button" class="quiet small" data-copy data-done={done} hidden>
        {label}
      </button>
    </div>
  );
}
