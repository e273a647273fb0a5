/** @jsxImportSource hono/jsx */
// Something to copy. The button appears only where a script can serve it.

import { type Language, wordsOf } from '../language.ts';

interface CodeBlockProps {
  language: Language;
  code: string;
  /** A key: it wraps, and one click selects it whole. */
  isSecret?: boolean;
}

export function CodeBlock({ language, code, isSecret = false }: CodeBlockProps) {
  const { copy, copied } = wordsOf(language).frame;
  return (
    <div class="copy">
      <pre tabindex={0} class={isSecret ? 'secret' : ''}>
        <code>{code}</code>
      </pre>
      <button type="button" class="quiet small" data-copy data-done={copied} hidden>
        {copy}
      </button>
    </div>
  );
}

/** An id with a small button that copies it. `name` is for screen readers. */
export function CopyId({ language, id, name }: { language: Language; id: string; name: string }) {
  const { frame, account } = wordsOf(language);
  return (
    <span class="copy-id">
      <span class="id">{id}</span>
      <button
        type="button"
        class="quiet small"
        data-copy
        data-done={frame.copied}
        aria-label={account.usageView.copy(name)}
        hidden
      >
        {frame.copy}
      </button>
    </span>
  );
}
