/** @jsxImportSource hono/jsx */
// The document as text, and beside it what is wrong with it, by path.

import { wordsOf } from '../../../site/language.ts';
import { CodeBlock } from '../../../site/parts/code-block.tsx';
import type { DocumentFault } from '../../actions/documents.ts';
import { type ConsoleContext, ConsolePage, type Notice } from '../frame/frame.tsx';
import { FaultList } from '../parts/fault-list.tsx';
import { consoleWords } from '../words/words.ts';
import { EXAMPLE_CHANNEL, EXAMPLE_MODEL } from './examples.ts';
import { modelTabs } from './tabs.ts';

interface EditorProps {
  context: ConsoleContext;
  yaml: string;
  /** The revision that the text was made from. */
  base: number;
  /** Which revision is edited, and since when it is in force. */
  about?: string;
  faults?: readonly DocumentFault[];
  notice?: Notice | undefined;
}

export function EditorPage({ context, yaml, base, about, faults = [], notice }: EditorProps) {
  const { document } = consoleWords(context.language);
  const page = { ...context, path: '/models/document', query: '' };
  const title = document.title;
  return (
    <ConsolePage
      context={page}
      section="models"
      title={title}
      lead={document.lead}
      tabs={modelTabs(context.language)}
      notice={notice}
    >
      <div class="editor">
        <form method="post" action="/models/document">
          <input type="hidden" name="base" value={String(base)} />
          <label for="yaml">{document.text}</label>
          <textarea
            id="yaml"
            name="yaml"
            class="code"
            rows={32}
            spellcheck={false}
            autocapitalize="none"
            wrap="off"
            {...(faults.length > 0 ? { 'aria-invalid': 'true' as const, 'aria-describedby': 'faults' } : {})}
          >
            {/* A text area swallows the first end of line. */}
            {`\n${yaml}`}
          </textarea>
          <p class="faint">
            {about} {document.kept}
          </p>
          <button type="submit">{document.check}</button>
        </form>
        <aside aria-label={faults.length > 0 ? document.faultsTitle(faults.length) : document.examples}>
          <FaultList title={document.faultsTitle(faults.length)} text={document.faultsText} faults={faults} />
          <Examples context={context} />
        </aside>
      </div>
    </ConsolePage>
  );
}

function Examples({ context }: { context: ConsoleContext }) {
  const { document } = consoleWords(context.language);
  const { frame } = wordsOf(context.language);
  return (
    <details>
      <summary>{document.examples}</summary>
      <h3>{document.exampleChannel}</h3>
      <CodeBlock code={EXAMPLE_CHANNEL} label={frame.copy} done={frame.copied} />
      <p class="faint">{document.exampleHelp}</p>
      <h3>{document.exampleModel}</h3>
      <CodeBlock code={EXAMPLE_MODEL} label={frame.copy} done={frame.copied} />
    </details>
  );
}
