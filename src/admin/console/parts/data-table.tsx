/** @jsxImportSource hono/jsx */
// Rows of facts. On a narrow screen a row becomes a few lines, each with the name of its column.

import type { Child } from 'hono/jsx';
import { Scroll } from '../../../site/parts/scroll.tsx';

export interface Column {
  text: string;
  isFigure?: boolean;
  /** Holds what somebody typed: it may be one long word. */
  isTyped?: boolean;
  /** Holds what can be done with the row: its name is for who has it read aloud. */
  isAction?: boolean;
}

interface DataTableProps {
  label: string;
  columns: readonly Column[];
  /** The first cell of each names the row. */
  rows: readonly (readonly Child[])[];
  caption?: string;
}

export function DataTable({ label, columns, rows, caption }: DataTableProps) {
  const [first, ...others] = columns;
  return (
    <Scroll label={label}>
      <table class="stack is-plain">
        {caption ? <caption>{caption}</caption> : null}
        <thead>
          <tr>
            <th scope="col">{first?.text}</th>
            {others.map(({ text, isFigure, isAction }) => (
              <th scope="col" class={isFigure ? 'right' : ''}>
                {isAction ? <span class="unseen">{text}</span> : text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([head, ...cells]) => (
            <tr>
              <th scope="row">{head}</th>
              {cells.map((cell, index) => (
                <Cell column={others[index]}>{cell}</Cell>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Cell({ column, children }: { column: Column | undefined; children?: Child }) {
  if (!column || column.isAction) return <td>{children}</td>;
  const look = column.isFigure ? 'right number' : column.isTyped ? 'as-written' : '';
  return (
    <td class={look} data-label={column.text}>
      {children}
    </td>
  );
}
