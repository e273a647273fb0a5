/** @jsxImportSource hono/jsx */
// An id with a small button that copies it. Without a script it is only selectable.

import { type Language, wordsOf } from '../language.ts';

interface CopyIdProps {
  language: Language;
  id: string;
  /** Label for screen readers. */
  name: string;
}

export function CopyId({ language, id, name }: CopyIdProps) {
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
