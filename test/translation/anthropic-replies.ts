// An upstream of the Anthropic messages format.

import { endingOf, type Reply, type Said } from './said.ts';

const HEAD = { id: 'msg_upstream', type: 'message', role: 'assistant', model: 'upstream-model' };
const STOP = { end: 'end_turn', length: 'max_tokens', tool: 'tool_use', filter: 'refusal' };
const USAGE = { input_tokens: 11, output_tokens: 7 };

export function anthropicReply(said: Said): Reply {
  const { reasoning = [], signature = 'c2lnbmVk', text = [], calls = [], usage = USAGE } = said;
  const stop = { stop_reason: STOP[endingOf(said)], stop_sequence: null };
  const thinking = reasoning.join('');
  const content = [
    ...(reasoning.length > 0 ? [{ type: 'thinking', thinking, signature }] : []),
    ...(text.length > 0 ? [{ type: 'text', text: text.join('') }] : []),
  ];
  const uses = calls.map(({ id = 'toolu_a', name, arguments: pieces }) => {
    const head = JSON.stringify({ type: 'tool_use', id, name });
    return `${head.slice(0, -1)},"input":${pieces.join('') || '{}'}}`;
  });
  const { output_tokens: output, ...input } = usage ?? {};
  const blocks: unknown[][] = [
    ...(reasoning.length > 0
      ? [
          [
            { type: 'thinking', thinking: '', signature: '' },
            ...reasoning.map((piece) => ({ type: 'thinking_delta', thinking: piece })),
            { type: 'signature_delta', signature },
          ],
        ]
      : []),
    ...(text.length > 0
      ? [[{ type: 'text', text: '' }, ...text.map((piece) => ({ type: 'text_delta', text: piece }))]]
      : []),
    ...calls.map(({ id = 'toolu_a', name, arguments: pieces }) => [
      { type: 'tool_use', id, name, input: {} },
      ...pieces.map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
    ]),
  ];
  const whole = JSON.stringify({ ...HEAD, content: [], ...stop, ...(usage === null ? {} : { usage }) });
  const shown = [...content.map((block) => JSON.stringify(block)), ...uses].join(',');
  return {
    // Written by hand, so that the input of a call keeps its own text.
    whole: whole.replace('"content":[]', () => `"content":[${shown}]`),
    stream: [
      {
        type: 'message_start',
        message: {
          ...HEAD,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          ...(usage === null ? {} : { usage: { ...input, output_tokens: 1 } }),
        },
      },
      { type: 'ping' },
      ...blocks.flatMap(anthropicBlock),
      { type: 'message_delta', delta: stop, ...(usage === null ? {} : { usage: { output_tokens: output } }) },
      { type: 'message_stop' },
    ],
  };
}

/** A block's start and its deltas as events. */
export function anthropicBlock([start, ...deltas]: readonly unknown[], index: number): Record<string, unknown>[] {
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}
