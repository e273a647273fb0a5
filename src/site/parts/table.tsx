/** @jsxImportSource hono/jsx */
// Rows of facts. On a narrow screen a row becomes a few lines, each with the name of its column.

import type { Child } from 'hono/jsx';

/** Content that may be wider than the screen: it scrolls by itself, with a keyboard too, and has a label. */
export function Scroll({ label, children }: { label: string; children?: Child }) {
  return (
    <section class="scroll" tabindex={0} aria-label={label}>
      {children}
    </section>
  );
}

export interface SortedColumn {
  /** A link that sorts the table, in place of the text. */
  head?: Child;
  /** How the table is sorted by this column, if it is. */
  sorted?: 'ascending' | 'descending' | undefined;
}

export interface Column extends SortedColumn {
  text: string;
  isFigure?: boolean;
  /** Contains text that a user typed, which may be one long word. */
  isTyped?: boolean;
  /** Contains the actions of the row: only screen readers get its name. */
  isAction?: boolean;
}

export const figure = (text: string): Column => ({ text, isFigure: true });
export const typedText = (text: string): Column => ({ text, isTyped: true });
export const action = (text: string): Column => ({ text, isAction: true });
const columnOf = (column: string | Column): Column => (typeof column === 'string' ? { text: column } : column);

interface TableProps {
  label: string;
  /** None: the rows say themselves what they are. */
  columns?: readonly (string | Column)[];
  caption?: string | undefined;
  class: string;
  children?: Child;
}

/** `children`: its rows. */
export function Table({ label, columns = [], caption, class: look, children }: TableProps) {
  const heads = columns.map(columnOf).map(({ text, isFigure, isAction, head, sorted }) => (
    <th scope="col" class={isFigure ? 'right' : undefined} aria-sort={sorted}>
      {isAction ? <span class="unseen">{text}</span> : (head ?? text)}
    </th>
  ));
  return (
    <Scroll label={label}>
      <table class={look}>
        {caption ? <caption>{caption}</caption> : null}
        {heads.length === 0 ? null : (
          <thead>
            <tr>{heads}</tr>
          </thead>
        )}
        <tbody>{children}</tbody>
      </table>
    </Scroll>
  );
}

interface DataTableProps extends Pick<TableProps, 'label' | 'caption'> {
  columns: readonly (string | Column)[];
  /** The first cell of each names the row. */
  rows: readonly (readonly Child[])[];
  none?: string;
  /** Has few columns: it stays a table on every screen but a phone's. */
  isCompact?: boolean;
  class?: string;
}

export function DataTable({ rows, none, isCompact = false, class: look, ...table }: DataTableProps) {
  if (rows.length === 0 && none !== undefined) return <p class="empty">{none}</p>;
  const [, ...others] = table.columns.map(columnOf);
  const looks = ['stack is-plain', ...(isCompact ? ['is-compact'] : []), ...(look ? [look] : [])];
  return (
    <Table {...table} class={looks.join(' ')}>
      {rows.map(([head, ...cells]) => (
        <tr>
          <th scope="row">{head}</th>
          {cells.map((cell, index) => (
            <Cell column={others[index]}>{cell}</Cell>
          ))}
        </tr>
      ))}
    </Table>
  );
}

/** A table below its title. */
export function TableSection({ title, ...table }: Omit<DataTableProps, 'label'> & { title: string }) {
  return (
    <section>
      <h2>{title}</h2>
      <DataTable label={title} {...table} />
    </section>
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

/** Small text below something. */
export function Under({ of, text, class: look }: { of: Child; text: Child; class?: string }) {
  return (
    <>
      {of}
      <span class={look ? `under ${look}` : 'under'}>{text}</span>
    </>
  );
}

export type Fact = readonly [title: string, value: Child];

interface FactsProps {
  facts: readonly Fact[];
  /** Side by side; each with the whole width; one a line, with its value at the end; or beside its name. */
  look?: 'facts' | 'facts is-wide' | 'lines' | 'pairs';
  valueLook?: string;
}

/** A short list of facts: what each is called, and what it is. */
export function Facts({ facts, look = 'facts', valueLook = 'id' }: FactsProps) {
  return (
    <dl class={look}>
      {facts.map(([title, value]) => (
        <div>
          <dt>{title}</dt>
          <dd class={valueLook}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
