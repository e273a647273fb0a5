import type { Answer } from '../answer.ts';

/** Content that is a text or a list of parts with texts; other parts are left out. */
export function textOf(content: Answer): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part: Answer) => part.text ?? '').join('');
}

export const inLines = (texts: readonly string[]) => texts.filter((text) => text !== '').join('\n');

/** The tool that a model must call, of those on offer. */
export function forcedTool(
  named: string | undefined,
  mustCall: boolean,
  offered: readonly string[],
): string | undefined {
  return named ?? (mustCall && offered.length === 1 ? offered[0] : undefined);
}

/** Text in two pieces, as streams bring it. */
export function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== '');
}
