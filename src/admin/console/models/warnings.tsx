/** @jsxImportSource hono/jsx */
// What is valid and still may be a slip of the hand, each as a sentence.

import type { DocumentWarning } from '../../../catalog/warn-change.ts';
import { count, decimal } from '../../../site/format.ts';
import type { Language } from '../../../site/language.ts';
import { consoleWords } from '../words/words.ts';
import { priceNames } from './price-names.ts';

export function Warnings({ language, warnings }: { language: Language; warnings: readonly DocumentWarning[] }) {
  const { document } = consoleWords(language);
  return (
    <div class="notice is-warning">
      <h2>{document.warnings}</h2>
      <ul>
        {warnings.map((warning) => (
          <li>
            {warningText(language, warning)} <span class="id faint">{warning.path}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function warningText(language: Language, warning: DocumentWarning): string {
  const { code, subject, price, before, after, requests, revision } = warning;
  const { document } = consoleWords(language);
  const names: Readonly<Record<string, string>> = priceNames(language);
  switch (code) {
    case 'price_jump':
      return document[code](subject, names[price ?? ''] ?? price ?? '', decimal(before ?? ''), decimal(after ?? ''));
    case 'model_removed':
    case 'channel_removed':
      return document[code](subject, count(requests ?? 0));
    case 'key_returned':
      return document[code](subject, revision ?? 0);
    case 'usage_shortened':
    case 'suspension_shortened':
      return document[code](before, after ?? '');
    default:
      return document[code](subject);
  }
}
