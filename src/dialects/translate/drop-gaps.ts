// Drops text of white space alone between two tool calls. Some models separate their calls with it, and clients would show
// it as an answer of its own.

import type { AnswerEvent } from './answer-events.ts';

export function createGapFilter(): (event: AnswerEvent) => AnswerEvent[] {
  /** The block before this one is a call. */
  let isAfterCall = false;
  /** Text after a call, while it is white space alone. */
  let gap: AnswerEvent[] = [];

  return (event) => {
    const isCall = event.type === 'open' && event.block.kind === 'tool';
    const isText = event.type === 'open' && event.block.kind === 'text';
    if (gap.length === 0 ? isAfterCall && isText : isText || isBlank(event)) {
      gap.push(event);
      return [];
    }
    if (event.type === 'open') isAfterCall = isCall;
    const before = isCall ? [] : gap;
    gap = [];
    return [...before, event];
  };
}

function isBlank(event: AnswerEvent): boolean {
  return event.type === 'close' || (event.type === 'delta' && !event.isMedia && event.text.trim() === '');
}
