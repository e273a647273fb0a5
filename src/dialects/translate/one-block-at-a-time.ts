// From upstreams that mix their blocks to a stream with one block open at a time. Words may be interrupted and go on in a
// block of their own; a call may not, because its arguments are one JSON text: while it is open, everything else waits.

import type { AnswerEvent, Block } from './answer-events.ts';

export interface Sequencer {
  /** `slot` names the block for as long as the answer lasts; `block` is only asked for when it opens. */
  add(slot: string, block: () => Block, text: string): AnswerEvent[];
  sign(slot: string, signature: string): AnswerEvent[];
  /** This block is whole: what waited for it takes its turn. */
  end(slot: string): AnswerEvent[];
  /** Everything that waited, in order of appearance, and the end of what is open. */
  flush(): AnswerEvent[];
}

interface Waiting {
  block: Block;
  text: string;
}

export function createSequencer(): Sequencer {
  const waiting = new Map<string, Waiting>();
  const ended = new Set<string>();
  let open: { slot: string; isCall: boolean } | undefined;

  const close = (): AnswerEvent[] => {
    if (!open) return [];
    open = undefined;
    return [{ type: 'close' }];
  };
  const delta = (text: string): AnswerEvent[] => (text === '' ? [] : [{ type: 'delta', text }]);

  return {
    add(slot, block, text) {
      if (open?.slot === slot) return delta(text);
      const known = waiting.get(slot);
      if (known) {
        known.text += text;
        return [];
      }
      const begun = block();
      if (open?.isCall) {
        waiting.set(slot, { block: begun, text });
        return [];
      }
      const events: AnswerEvent[] = [...close(), { type: 'open', block: begun }, ...delta(text)];
      open = { slot, isCall: begun.kind === 'tool' };
      return events;
    },
    sign: (slot, signature) => (open?.slot === slot ? [{ type: 'sign', signature }] : []),
    end(slot) {
      ended.add(slot);
      if (open?.slot !== slot) return [];
      const events = close();
      for (const [next, { block, text }] of waiting) {
        if (open?.isCall && !ended.has(open.slot)) break;
        waiting.delete(next);
        events.push(...close(), { type: 'open', block }, ...delta(text));
        open = { slot: next, isCall: block.kind === 'tool' };
      }
      return events;
    },
    flush() {
      const events = close();
      for (const { block, text } of waiting.values()) {
        events.push({ type: 'open', block }, ...delta(text), { type: 'close' });
      }
      waiting.clear();
      return events;
    },
  };
}
