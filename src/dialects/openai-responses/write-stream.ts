// A response stream to the client: events pass with `model` as the client knows it, numbered without a gap from the first to
// the last, over all runs. Another run continues with the ids of the first one.

import { editMembers, isObject, type JsonDocument, type JsonObject, readAnswerJson } from '../../kit/json/json.ts';
import { openMember } from '../../kit/json/raw-json.ts';
import { withCost } from '../counts.ts';
import type { FinalUsage, RelayRequest, StreamEvent, StreamWriter, WriterOptions } from '../dialect.ts';
import { writeSse } from '../stream/sse.ts';
import { Transcript } from '../stream/transcript.ts';
import { continuePrefill, continueResponse, type OpenMessage, SeenEvents } from './continue-stream.ts';
import { editInside } from './edit-event.ts';
import { createOpenItems } from './open-items.ts';
import { writeUsage } from './usage.ts';

export function createStreamWriter(request: RelayRequest, { keepText }: WriterOptions): StreamWriter {
  const transcript = new Transcript({ keepText });
  const seen = new SeenEvents();
  const items = createOpenItems();
  let held: StreamEvent | undefined;
  /** Ends of a message that another run could still go on with. */
  let waiting: StreamEvent[] = [];
  let model = request.model;
  let sequence = 0;
  /** The response as it stood at its beginning. */
  let head: JsonDocument | undefined;

  /** The client's one response, whichever run it comes from. */
  function owned(response: JsonDocument, edits: JsonObject = {}): string {
    const { id, created_at } = head?.value ?? {};
    const own = Object.entries({ model, id, created_at, ...edits }).filter(
      ([name, value]) => value !== undefined && response.value[name] !== value,
    );
    return own.length > 0 ? editMembers(response, Object.fromEntries(own)) : response.text;
  }

  function frame(name: string | undefined, document: JsonDocument): string {
    const number = sequence++;
    const isNumbered = document.value.sequence_number === number;
    return writeSse(isNumbered ? document.text : editMembers(document, { sequence_number: number }), name);
  }

  function send({ name, document, segments }: StreamEvent): string {
    if (!document) return '';
    for (const segment of segments) transcript.add(segment);
    seen.note(document.value);
    items.note(document.value, document.text.length);
    const own = editInside(document, 'response', owned);
    const begun = own.value.response && openMember(own, 'response')?.text;
    if (begun) head ??= readAnswerJson(begun);
    return frame(name, own);
  }

  function pass(event: StreamEvent): string {
    if (event.kind === 'held') {
      held = event;
      return '';
    }
    if (keepText && isEnd(event) && openMessage()) {
      waiting.push(event);
      return '';
    }
    return flush() + send(event);
  }

  function flush(): string {
    const ends = waiting;
    waiting = [];
    return ends.map(send).join('');
  }

  /** The client has one message, of text alone. */
  function openMessage(): OpenMessage | undefined {
    const [first] = seen.items;
    if (!first || seen.items.size > 1 || first[1].type !== 'message') return undefined;
    const [index, { id }] = first;
    const text = transcript.onlyText(`0/${index}/text/0`);
    return text === undefined ? undefined : { index, id, text };
  }

  /** An event of our own about the response as a whole. */
  function ownEvent(type: string, edits: JsonObject): JsonDocument {
    const response = owned(head ?? readAnswerJson('{"object":"response","output":[]}'), edits);
    return readAnswerJson(`{"type":"${type}","sequence_number":-1,"response":${response}}`);
  }

  function writeOwnEvent(type: string, edits: JsonObject): string {
    return frame(type, ownEvent(type, edits));
  }

  return {
    write: pass,
    keepAlive: () => (head ? writeOwnEvent('response.in_progress', { status: 'in_progress' }) : ': ping\n\n'),
    rename: (id) => {
      model = id;
    },
    sentText: () => openMessage()?.text,
    transcript,
    continue(how) {
      held = undefined;
      waiting = [];
      const open = how === 'prefill' ? openMessage() : undefined;
      return open ? continuePrefill(pass, open) : continueResponse(pass, new SeenEvents(seen), transcript.compare());
    },
    stopAtBound() {
      const ends = flush();
      const closings = items
        .close()
        .map((event) => frame(String(event.type), readAnswerJson(JSON.stringify({ ...event, sequence_number: -1 }))));
      const incomplete_details = { reason: 'max_output_tokens' };
      const name = 'response.incomplete';
      const document = ownEvent(name, { status: 'incomplete', incomplete_details, output: items.output() });
      held = { kind: 'held', name, document, segments: [] };
      return ends + closings.join('');
    },
    end(final) {
      const ends = flush();
      if (!held?.document) return ends;
      const last = editInside(held.document, 'response', (response) =>
        owned(response, { usage: lastUsage(response, final) }),
      );
      return ends + frame(held.name, last);
    },
    error({ error }) {
      const { code, message, request_id: id } = isObject(error) ? error : {};
      const known = head ? {} : { id: `resp_${String(id ?? '')}` };
      return writeOwnEvent('response.failed', {
        ...known,
        status: 'failed',
        error: { code, message },
        output: [],
        usage: null,
      });
    },
  };
}

/** The end of a text, of its part, or of its item. */
function isEnd({ name, segments }: StreamEvent): boolean {
  return name?.endsWith('.done') === true && segments.length === 0;
}

function lastUsage({ value }: JsonDocument, { usage: billed, cost, isOurs }: FinalUsage): JsonObject {
  const usage = isObject(value.usage) && !isOurs && !billed.isRestated ? value.usage : writeUsage(billed);
  return withCost(usage, cost);
}
