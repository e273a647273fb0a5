// Blocks of a stream one after the other, in the order in which they began. The first passes at once; what later ones say
// waits until those before them are over.

import type { AnswerEvent } from '../../translate/answer-events.ts';

export interface QueuedBlock {
  waiting: AnswerEvent[];
  isOver: boolean;
}

interface BlockQueue {
  begin(block: QueuedBlock): void;
  /** Offsets of citations count from the beginning of their block. */
  add(block: QueuedBlock, events: AnswerEvent[]): AnswerEvent[];
  end(block: QueuedBlock): AnswerEvent[];
}

export function newQueued(): QueuedBlock {
  return { waiting: [], isOver: false };
}

export function createBlockQueue(): BlockQueue {
  const queue: QueuedBlock[] = [];
  /** Length of all text that was passed on, and the offset at which the current block begins. */
  let textLength = 0;
  let start = 0;
  let isText = false;

  /** Offsets count in the text of the whole answer, which is known only here. */
  function pass(event: AnswerEvent): AnswerEvent {
    if (event.type === 'open') {
      isText = event.block.kind === 'text';
      start = textLength;
    }
    if (event.type === 'delta' && isText) textLength += event.text.length;
    if (event.type !== 'cite') return event;
    const { citation } = event;
    return { type: 'cite', citation: { ...citation, start: start + citation.start, end: start + citation.end } };
  }

  return {
    begin: (block) => void queue.push(block),
    add(block, events) {
      if (queue[0] === block) return events.map(pass);
      block.waiting.push(...events);
      return [];
    },
    end(block) {
      block.isOver = true;
      const events: AnswerEvent[] = [];
      while (queue[0]?.isOver) {
        queue.shift();
        events.push(...(queue[0]?.waiting.splice(0) ?? []).map(pass));
      }
      return events;
    },
  };
}
