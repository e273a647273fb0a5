// A whole message as the events of a stream, and the events of a stream as a whole message.

import { isObject, type JsonDocument, type JsonObject, objectsOf, tryParseJson } from '../../kit/json/json.ts';
import { openRaw, RawJson, type RawPlace, type RawValue, writeJson } from '../../kit/json/raw-json.ts';
import { type SseEvent, writeSse } from '../stream/sse.ts';
import { JoinedMessage } from './join-message.ts';

export function writeAsStream({ text, value }: JsonDocument): string {
  const { content, stop_reason, stop_sequence = null, stop_details, usage, ...head } = value;
  const places = openRaw(text).at('content');
  const blocks = objectsOf(content);
  const message = { ...head, content: [], stop_reason: null, stop_sequence: null, usage };
  const delta = { stop_reason, stop_sequence, stop_details };
  return [
    frame({ type: 'message_start', message }),
    ...blocks.flatMap((block, index) => writeBlock(block, index, places?.at(index))),
    frame({ type: 'message_delta', delta, usage }),
    frame({ type: 'message_stop' }),
  ].join('');
}

function writeBlock(block: JsonObject, index: number, place: RawPlace | undefined): string[] {
  const { start, deltas } = splitBlock(block, place);
  return [
    frame({ type: 'content_block_start', index, content_block: start }),
    ...deltas.map((delta) => frame({ type: 'content_block_delta', index, delta })),
    frame({ type: 'content_block_stop', index }),
  ];
}

/** Splits a block into its start and its deltas. */
function splitBlock(block: JsonObject, place: RawPlace | undefined): { start: RawValue; deltas: RawValue[] } {
  const { type, text, citations, thinking, signature, input } = block;
  switch (type) {
    case 'text': {
      const cited = Array.isArray(citations) ? citations : [];
      const said = text === '' ? [] : [{ type: 'text_delta', text }];
      const start = { ...block, text: '', ...(citations === undefined ? {} : { citations: [] }) };
      return { start, deltas: [...said, ...cited.map((citation) => ({ type: 'citations_delta', citation }))] };
    }
    case 'thinking': {
      const deltas = [
        ...(thinking === '' ? [] : [{ type: 'thinking_delta', thinking }]),
        ...(typeof signature === 'string' ? [{ type: 'signature_delta', signature }] : []),
      ];
      return { start: { ...block, thinking: '', signature: '' }, deltas };
    }
    default: {
      const json = isObject(input) ? place?.at('input')?.text : undefined;
      if (json === undefined) return { start: place ? new RawJson(place.text) : block, deltas: [] };
      return { start: { ...block, input: {} }, deltas: [{ type: 'input_json_delta', partial_json: json }] };
    }
  }
}

function frame(event: { type: string; [name: string]: RawValue | undefined }): string {
  return writeSse(writeJson(event), event.type);
}

export function joinStream(events: readonly SseEvent[]): RawValue | undefined {
  const joined = new JoinedMessage();
  for (const { data } of events) {
    if (data === undefined) continue;
    const event = tryParseJson(data);
    if (!isObject(event) || event.type === 'error') return undefined;
    joined.read(event);
  }
  return joined.message();
}
