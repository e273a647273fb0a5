// An upstream of the OpenAI chat format.

import { endingOf, type Reply, type Said } from './said.ts';

const HEAD = { id: 'chatcmpl-upstream', created: 1_790_000_000, model: 'upstream-model' };
const FINISH = { end: 'stop', length: 'length', tool: 'tool_calls', filter: 'content_filter' };
const USAGE = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

export function openaiReply(said: Said): Reply {
  const { reasoning = [], details, text = [], calls = [], usage = USAGE } = said;
  const finish = FINISH[endingOf(said)];
  const shownUsage = usage === null ? {} : { usage };
  const message = {
    role: 'assistant',
    content: text.length > 0 ? text.join('') : null,
    ...(reasoning.length > 0 ? { reasoning_content: reasoning.join('') } : {}),
    ...(details ? { reasoning_details: details.whole } : {}),
    ...(calls.length > 0
      ? {
          tool_calls: calls.map(({ id = 'call_a', name, arguments: pieces }) => ({
            id,
            type: 'function',
            function: { name, arguments: pieces.join('') },
          })),
        }
      : {}),
  };
  return {
    whole: {
      ...HEAD,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: finish, logprobs: null }],
      ...shownUsage,
    },
    stream: [
      openaiChunk({ role: 'assistant', content: '' }),
      ...reasoning.map((piece) => openaiChunk({ reasoning_content: piece })),
      ...(details?.pieces ?? []).map((piece) => openaiChunk({ reasoning_details: [piece] })),
      ...text.map((piece) => openaiChunk({ content: piece })),
      ...calls.flatMap(({ id = 'call_a', name, arguments: pieces }, index) => [
        openaiChunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
        ...pieces.map((piece) => openaiChunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]),
      openaiChunk({}, finish),
      ...(usage === null ? [] : [{ ...HEAD, object: 'chat.completion.chunk', choices: [], usage }]),
      '[DONE]',
    ],
  };
}

export function openaiChunk(delta: unknown, finish: string | null = null): Record<string, unknown> {
  return { ...HEAD, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] };
}
