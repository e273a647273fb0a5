/** @jsxImportSource hono/jsx */
// Errors of a document: the line of the text, the path, and the reason in the reader's language.

import { lineFinder } from '../../../catalog/fault-lines.ts';
import type { DocumentFault } from '../../actions/documents.ts';
import { type ConsoleContext, FaultList } from '../frame.tsx';
import { documentFaultText } from '../words/document-faults.ts';

interface DocumentFaultsProps {
  context: ConsoleContext;
  title: string;
  text?: string;
  faults: readonly DocumentFault[];
  /** The text that the operator edits; without one, faults have no line. */
  yaml?: string;
}

export function DocumentFaults({ context, title, text, faults, yaml }: DocumentFaultsProps) {
  if (faults.length === 0) return null;
  const { document } = context.words;
  const lineOf = yaml === undefined ? () => undefined : lineFinder(yaml);
  const shown = faults
    .map((fault) => ({ ...fault, line: lineOf(fault.path) }))
    .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
    .map(({ path, message, line }) => ({
      path: [...(line === undefined ? [] : [document.line(line)]), ...(path.startsWith('line ') ? [] : [path])].join(
        ' · ',
      ),
      message: documentFaultText(context.language, message),
    }));
  return <FaultList title={title} {...(text === undefined ? {} : { text })} faults={shown} />;
}
