/** @jsxImportSource hono/jsx */
// The document as text, and beside it what is wrong with it, by path.

import type { Notice } from '../../../site/frame.tsx';
import { Submit } from '../../../site/parts/button.tsx';
import { CodeBlock } from '../../../site/parts/code-block.tsx';
import { Hidden } from '../../../site/parts/field.tsx';
import type { DocumentFault } from '../../actions/documents.ts';
import { FaultList } from '../fault-list.tsx';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import { EXAMPLE_CHANNEL, EXAMPLE_MODEL } from './examples.ts';

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
  const { document } = context.words;
  const page = { ...context, path: '/models/document', query: '' };
  const title = document.title;
  return (
    <ConsolePage context={page} section="models" title={title} lead={document.lead} notice={notice}>
      <div class="editor">
        <form method="post" action="/models/document">
          <Hidden fields={{ base }} />
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
          <Submit text={document.check} />
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
  const { document } = context.words;
  return (
    <details>
      <summary>{document.examples}</summary>
      <h3>{document.exampleChannel}</h3>
      <CodeBlock code={EXAMPLE_CHANNEL} language={context.language} />
      <p class="faint">{document.exampleHelp}</p>
      <h3>{document.exampleModel}</h3>
      <CodeBlock code={EXAMPLE_MODEL} language={context.language} />
    </details>
  );
}
