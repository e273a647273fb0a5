/** @jsxImportSource hono/jsx */
// Pages of a list whose length is known: which part is shown, and the pages beside it. For lists too long to name every page.

import { count } from '../../site/format.ts';
import type { ConsoleContext } from './frame.tsx';

interface PageOf {
  /** From 1. */
  page: number;
  size: number;
  total: number;
}

/** The page that was asked for, or the last one if there are fewer. */
export function pageIn(asked: number | undefined, size: number, total: number): PageOf & { from: number } {
  const page = Math.min(Math.max(1, asked ?? 1), Math.max(1, Math.ceil(total / size)));
  return { page, size, total, from: (page - 1) * size };
}

/** `path`: the address of the list, with its other parameters. */
export function Pager({ context, path, page, size, total }: PageOf & { context: ConsoleContext; path: string }) {
  const { frame } = context.words;
  const pages = Math.ceil(total / size);
  if (pages < 2) return null;
  const from = (page - 1) * size;
  const link = (to: number, text: string) =>
    to < 1 || to > pages || to === page ? null : (
      <a href={`${path}${path.includes('?') ? '&' : '?'}page=${to}`}>{text}</a>
    );
  return (
    <nav class="row" aria-label={frame.pages}>
      <span>{frame.partOf(count(from + 1), count(Math.min(total, from + size)), count(total))}</span>
      {page > 2 ? link(1, frame.firstPage) : null}
      {link(page - 1, frame.previousPage)}
      {link(page + 1, frame.nextPage)}
      {page < pages - 1 ? link(pages, frame.lastPage) : null}
    </nav>
  );
}
