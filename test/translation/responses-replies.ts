// An upstream of the OpenAI Responses format.

import { endingOf, type Reply, type Said } from './said.ts';

const HEAD = {
  id: 'resp_upstream',
  object: 'response',
  created_at: 1_790_000_000,
  model: 'upstream-model',
  error: null,
};
const USAGE = { input_tokens: 11, output_tokens: 7, total_tokens: 18 };

interface Item {
  /** As it is when it is done. */
  item: Record<string, unknown>;
  /** As it is when it begins. */
  begun: Record<string, unknown>;
  /** What happens in between; `item_id` and `output_index` are added. */
  inside: Record<string, unknown>[];
}

export function responsesReply(said: Said): Reply {
  const { usage = USAGE } = said;
  const ending = endingOf(said);
  const items = itemsOf(said);
  const isCut = ending === 'length' || ending === 'filter';
  const status = isCut ? 'incomplete' : 'completed';
  const reason = ending === 'length' ? 'max_output_tokens' : 'content_filter';
  const whole = {
    ...HEAD,
    status,
    incomplete_details: isCut ? { reason } : null,
    output: items.map(({ item }) => item),
    ...(usage === null ? {} : { usage }),
  };
  const begun = { ...HEAD, status: 'in_progress', output: [] };
  const events = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items.flatMap(({ item, begun: first, inside }, output_index) => [
      { type: 'response.output_item.added', output_index, item: first },
      ...inside.map((event) => ({ ...event, item_id: item.id, output_index })),
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: `response.${status}`, response: whole },
  ];
  return { whole, stream: events.map((event, sequence_number) => ({ ...event, sequence_number })) };
}

function itemsOf({ reasoning = [], text = [], calls = [] }: Said): Item[] {
  return [
    ...(reasoning.length > 0 ? [reasoningItem(reasoning)] : []),
    ...(text.length > 0 ? [messageItem(text)] : []),
    ...calls.map(({ id = 'call_a', name, arguments: pieces }, index) =>
      callItem(`fc_upstream${index}`, id, name, pieces),
    ),
  ];
}

function reasoningItem(pieces: readonly string[]): Item {
  const part = { type: 'summary_text', text: pieces.join('') };
  const head = { id: 'rs_upstream', type: 'reasoning' };
  const inside = [
    { type: 'response.reasoning_summary_part.added', summary_index: 0, part: { ...part, text: '' } },
    ...pieces.map((delta) => ({ type: 'response.reasoning_summary_text.delta', summary_index: 0, delta })),
    { type: 'response.reasoning_summary_text.done', summary_index: 0, text: part.text },
    { type: 'response.reasoning_summary_part.done', summary_index: 0, part },
  ];
  return { item: { ...head, summary: [part], encrypted_content: 'c2VhbGVk' }, begun: { ...head, summary: [] }, inside };
}

function messageItem(pieces: readonly string[]): Item {
  const part = { type: 'output_text', text: pieces.join(''), annotations: [], logprobs: [] };
  const head = { id: 'msg_upstream', type: 'message', role: 'assistant' };
  const inside = [
    { type: 'response.content_part.added', content_index: 0, part: { ...part, text: '' } },
    ...pieces.map((delta) => ({ type: 'response.output_text.delta', content_index: 0, delta, logprobs: [] })),
    { type: 'response.output_text.done', content_index: 0, text: part.text, logprobs: [] },
    { type: 'response.content_part.done', content_index: 0, part },
  ];
  const begun = { ...head, status: 'in_progress', content: [] };
  return { item: { ...head, status: 'completed', content: [part] }, begun, inside };
}

function callItem(id: string, callId: string, name: string, pieces: readonly string[]): Item {
  const head = { id, type: 'function_call', call_id: callId, name };
  const json = pieces.join('') || '{}';
  const inside = [
    ...pieces.map((delta) => ({ type: 'response.function_call_arguments.delta', delta })),
    { type: 'response.function_call_arguments.done', arguments: json },
  ];
  const begun = { ...head, status: 'in_progress', arguments: '' };
  return { item: { ...head, status: 'completed', arguments: json }, begun, inside };
}
