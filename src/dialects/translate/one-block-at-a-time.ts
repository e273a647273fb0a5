// Converts interleaved blocks to a stream with one open block at a time. Text may be interrupted and continues in a new
// block. A call must not be, because its arguments are one JSON text: while it is open, other events wait.

import { type AnswerEvent, type Block, type Delta, deltaOf } from './answer-events.ts';

export function createSequencer() {
  const waiting = new Map<string, { block: Block; said: Delta[] }>();
  const ended = new Set<string>();
  let open: { slot: string; isCall: boolean } | undefined;

  const close = (): AnswerEvent[] => {
    if (!open) return [];
    open = undefined;
    return [{ type: 'close' }];
  };

  return {
    /** `slot` names the block for as long as the answer lasts; `block` is only asked for when it opens. */
    add(slot: string, block: () => Block, text: string, isMedia = false): AnswerEvent[] {
      const said: Delta[] = isMedia ? [{ type: 'delta', text, isMedia }] : deltaOf(text);
      if (open?.slot === slot) return said;
      const known = waiting.get(slot);
      if (known) {
        known.said = joined(known.said, said);
        return [];
      }
      const begun = block();
      if (open?.isCall) {
        waiting.set(slot, { block: begun, said });
        return [];
      }
      const events: AnswerEvent[] = [...close(), { type: 'open', block: begun }, ...said];
      open = { slot, isCall: begun.kind === 'tool' };
      return events;
    },
    sign: (slot: string, signature: string): AnswerEvent[] =>
      open?.slot === slot ? [{ type: 'sign', signature }] : [],
    /** The block is complete: waiting events follow. */
    end(slot: string): AnswerEvent[] {
      ended.add(slot);
      if (open?.slot !== slot) return [];
      const events = close();
      for (const [next, { block, said }] of waiting) {
        if (open?.isCall && !ended.has(open.slot)) break;
        waiting.delete(next);
        events.push(...close(), { type: 'open', block }, ...said);
        open = { slot: next, isCall: block.kind === 'tool' };
      }
      return events;
    },
    /** Everything that waited, in order of appearance, and the end of what is open. */
    flush(): AnswerEvent[] {
      const events = close();
      for (const { block, said } of waiting.values()) {
        events.push({ type: 'open', block }, ...said, { type: 'close' });
      }
      waiting.clear();
      return events;
    },
  };
}

/** Waiting text is sent as one delta; an image stays separate. */
function joined(said: Delta[], [more]: Delta[]): Delta[] {
  const last = said.at(-1);
  if (!more) return said;
  if (!last || last.isMedia || more.isMedia) return [...said, more];
  last.text += more.text;
  return said;
}
