// A message stream to the client. It keeps the grammar: one start, blocks opened and closed in order, one end; also when a
// second or third upstream run continues what the first one began.

import { editMembers, isObject, type JsonDocument } from '../../kit/json/json.ts';
import type { FinalUsage, RelayRequest, StreamEvent, StreamWriter, WriterOptions } from '../dialect.ts';
import { RepeatWriter } from '../stream/shape.ts';
import { writeSse } from '../stream/sse.ts';
import { Transcript } from '../stream/transcript.ts';
import { withCost } from '../with-cost.ts';
import { blockType, continueFresh, continuePrefill, indexOf, type Seen, stopEvent } from './continue-stream.ts';
import { mergeUsage, writeUsage } from './usage.ts';

export function createStreamWriter(request: RelayRequest, options: WriterOptions): StreamWriter {
  const transcript = new Transcript(options);
  const blocks = new Map<number, Seen>();
  let held: StreamEvent[] = [];
  let model = request.model;
  const repeats = new RepeatWriter((marked) => writeSse(marked, 'content_block_delta'));

  function pass(event: StreamEvent): string {
    const repeated = event.repeat && repeats.write(event.repeat);
    if (repeated !== undefined) {
      for (const piece of event.pieces) transcript.add(piece);
      return repeated;
    }
    const { document, name, kind } = event;
    if (!document) return '';
    if (kind === 'held') {
      held.push(event);
      return '';
    }
    for (const piece of event.pieces) transcript.add(piece);
    noteBlock(blocks, event, document);
    return writeSse(name === 'message_start' ? renamed(document, model) : document.text, name);
  }

  return {
    keepAlive: () => writeSse('{"type":"ping"}', 'ping'),
    write: pass,
    rename: (id) => {
      model = id;
    },
    repeats: {
      partsOf: (shape) => repeats.partsOf(shape),
      note: (slot, bytes, from, to, tokens) => transcript.note(slot, bytes, from, to, tokens),
    },
    sentText: () => (blocks.size === 1 && blocks.get(0)?.type === 'text' ? transcript.onlyText('0/text') : undefined),
    sent: () => transcript.sent,
    continue(how) {
      held = [];
      return how === 'prefill'
        ? continuePrefill(pass, blocks, transcript.onlyText('0/text') ?? '')
        : continueFresh(pass, blocks, transcript.compare());
    },
    end(final) {
      const open = [...blocks].filter(([, { closed }]) => !closed).map(([index]) => pass(stopEvent(index)));
      return open.join('') + lastEvent(held, final) + writeSse('{"type":"message_stop"}', 'message_stop');
    },
    error: (body) => writeSse(JSON.stringify(body), 'error'),
  };
}

function noteBlock(blocks: Map<number, Seen>, { name, pieces }: StreamEvent, document: JsonDocument): void {
  const index = indexOf(document);
  const seen = blocks.get(index) ?? { type: '', closed: false, extras: 0 };
  if (name === 'content_block_start') blocks.set(index, { ...seen, type: blockType(document) });
  if (name === 'content_block_stop') blocks.set(index, { ...seen, closed: true });
  if (name === 'content_block_delta' && pieces.length === 0) blocks.set(index, { ...seen, extras: seen.extras + 1 });
}

/** The stop with its reason, and the last usage with the cost; clients fail on a stop without usage. */
function lastEvent([stop, ...more]: readonly StreamEvent[], { usage: billed, cost, isOurs }: FinalUsage): string {
  if (!stop?.document) return '';
  const { usage: first } = stop.document.value;
  const told = more.reduce(
    (usage, { document }) => mergeUsage(usage, document?.value.usage),
    isObject(first) ? first : {},
  );
  const usage = isOurs || Object.keys(told).length === 0 ? writeUsage(billed) : told;
  const shown = withCost(usage, cost);
  return writeSse(editMembers(stop.document, { usage: shown }), stop.name);
}

function renamed(document: JsonDocument, model: string): string {
  const { message } = document.value;
  return isObject(message) ? editMembers(document, { message: { ...message, model } }) : document.text;
}
