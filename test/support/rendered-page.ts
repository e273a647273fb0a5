// A Markdown page of the project as the site renders it. Tests look into each page many times, and rendering is slow.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderMarkdown } from '../../src/site/markdown.ts';

const ROOT = join(import.meta.dir, '..', '..');
const pages = new Map<string, string>();

/** `path` is below the project's folder. */
export function renderedPage(path: string): string {
  const html = pages.get(path) ?? renderMarkdown(readFileSync(join(ROOT, path), 'utf8')).html;
  pages.set(path, html);
  return html;
}
