/** @jsxImportSource hono/jsx */
// The difference of two documents, line by line. What was added or removed is marked by a sign, not by colour alone.

import type { Language } from '../../../site/language.ts';
import { Scroll } from '../../../site/parts/table.tsx';
import type { DiffLine } from '../../actions/line-diff.ts';
import { consoleWords } from '../words/words.ts';

const SIGNS = { same: ' ', added: '+', removed: '−' };

export function Diff({ language, lines, label }: { language: Language; lines: readonly DiffLine[]; label: string }) {
  const { document } = consoleWords(language);
  if (!lines.some(({ kind }) => kind === 'added' || kind === 'removed')) {
    return <p class="empty">{document.noDifference}</p>;
  }
  return (
    <Scroll label={label}>
      <div class="diff">
        {lines.map((line) =>
          line.kind === 'skipped' ? (
            <p class="skipped">{document.skipped(line.count)}</p>
          ) : (
            <p class={line.kind}>
              <span class="line" aria-hidden="true">
                {line.kind === 'removed' ? line.before : line.after}
              </span>
              <span class="sign" aria-hidden="true">
                {SIGNS[line.kind]}
              </span>
              {line.kind === 'same' ? null : <span class="unseen">{document[line.kind]}: </span>}
              <code>{line.text}</code>
            </p>
          ),
        )}
      </div>
    </Scroll>
  );
}
