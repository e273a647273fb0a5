// Puts interleaved blocks of a stream in the order in which they began. Events of the first open block pass at once; those
// of later blocks wait until it ends.

import type { AnswerEvent } from '../../translate/answer-events.ts';

export interface QueuedBlock {
  waiting: AnswerEvent[];
  isOver: boolean;
}

interface BlockQueue {
  begin(block: QueuedBlock): void;
  /** Offsets of citations are relative to their block. */
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

  /** Converts offsets to the text of the whole answer, whose length is known only here. */
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
