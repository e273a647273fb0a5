// Stop sequences that an upstream has no room for are matched here: the answer ends before the first of them, as it would
// have at an upstream that knew it.

import { isPicture } from '../media/picture.ts';
import type { AnswerEvent } from './answer-events.ts';

export function createStopMatcher(sequences: readonly string[]): (event: AnswerEvent) => AnswerEvent[] {
  if (sequences.length === 0) return (event) => [event];
  const longest = Math.max(...sequences.map(({ length }) => length));
  let isText = false;
  /** The end of the text so far: it may be the beginning of a sequence. */
  let kept = '';
  let isOver = false;

  function take(text: string): AnswerEvent[] {
    const all = kept + text;
    const [first] = sequences
      .map((sequence) => ({ sequence, at: all.indexOf(sequence) }))
      .filter(({ at }) => at >= 0)
      // The one that was complete first, as a model would have met it word by word.
      .sort((a, b) => a.at + a.sequence.length - b.at - b.sequence.length || a.at - b.at);
    if (first) {
      isOver = true;
      const before = all.slice(0, first.at);
      return [
        ...delta(before),
        { type: 'close' },
        { type: 'stop', reason: 'end', sequence: first.sequence },
        { type: 'done' },
      ];
    }
    const safe = Math.max(0, all.length - longest + 1);
    kept = all.slice(safe);
    return delta(all.slice(0, safe));
  }

  return (event) => {
    if (isOver) return [];
    if (event.type === 'open') isText = event.block.kind === 'text';
    if (event.type === 'delta' && isText && !isPicture(event)) return take(event.text);
    // No sequence goes on behind the end of the text, or behind a picture.
    if ((event.type !== 'close' && !isPicture(event)) || kept === '') return [event];
    const rest = kept;
    kept = '';
    return [...delta(rest), event];
  };
}

function delta(text: string): AnswerEvent[] {
  return text === '' ? [] : [{ type: 'delta', text }];
}
