/** @jsxImportSource hono/jsx */
// A key that was just made for a customer: shown here and nowhere again.

import { wordsOf } from '../../../site/language.ts';
import { CodeBlock } from '../../../site/parts/code-block.tsx';
import { type ConsoleContext, ConsolePage } from '../frame/frame.tsx';
import { consoleWords } from '../words/words.ts';

interface NewKeyProps {
  context: ConsoleContext;
  accountId: string;
  apiKey: string;
}

export function NewKeyPage({ context, accountId, apiKey }: NewKeyProps) {
  const { accounts } = consoleWords(context.language);
  const { frame } = wordsOf(context.language);
  return (
    <ConsolePage
      context={context}
      section="accounts"
      title={accounts.createKey}
      notice={{ text: accounts.shownOnce }}
      isShownOnce
    >
      <CodeBlock code={apiKey} label={frame.copy} done={frame.copied} isSecret />
      <p>
        <a class="button quiet" href={`/accounts/${accountId}`}>
          {accounts.toAccount}
        </a>
      </p>
    </ConsolePage>
  );
}
