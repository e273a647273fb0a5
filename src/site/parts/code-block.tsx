// Something to copy. The button appears only where a script can serve it.

export interface CodeBlockProps {
  code: string;
  /** What the button says, before and after. */
  label: string;
  done: string;
}

export function CodeBlock({ code, label, done }: CodeBlockProps) {
  return (
    <div class="copy">
      <pre tabindex={0}>
        <code>{code}</code>
      </pre>
      <button type="button" class="quiet small" data-copy data-done={done} hidden>
        {label}
      </button>
    </div>
  );
}
