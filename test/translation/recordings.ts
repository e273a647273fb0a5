// Streams of the three kinds of upstream, one of each sort that a split or a break could spoil in its own way.

import { anthropicBlock, anthropicReply } from './anthropic-replies.ts';
import { geminiChunk, geminiReply } from './gemini-replies.ts';
import { openaiChunk, openaiReply } from './openai-replies.ts';
import { responsesReply } from './responses-replies.ts';
import type { Said } from './said.ts';
import { UPSTREAMS, type UpstreamName } from './sides.ts';

export interface Recording {
  what: string;
  upstream: UpstreamName;
  /** Event by event, as bytes. */
  frames: readonly string[];
}

/** What every kind of upstream can say. */
export const SAYINGS: readonly (readonly [what: string, said: Said])[] = [
  ['text', { text: ['One', ' two', '.\n'] }],
  ['Chinese and emoji', { text: ['早', '安，', '世界 🌏', ' 👩‍👩‍👧 ünï'] }],
  ['reasoning, then text', { reasoning: ['Hm', '…嗯'], text: ['Yes', '.'] }],
  [
    'text and two calls',
    {
      text: ['Looking.'],
      calls: [
        { id: 'call_1', name: 'look', arguments: ['{"at"', ':"早', '安"}'] },
        { id: 'call_2', name: 'hear', arguments: ['{}'] },
      ],
    },
  ],
  ['an end by the bound', { text: ['One', ' tw'], ends: 'length' }],
  ['an end by the vendor', { text: ['One'], ends: 'filter' }],
];

const SAYERS = {
  openai: openaiReply,
  anthropic: anthropicReply,
  gemini: geminiReply,
  'openai-responses': responsesReply,
};

function record(what: string, upstream: UpstreamName, events: readonly unknown[]): Recording {
  return { what, upstream, frames: events.map(UPSTREAMS[upstream].frame) };
}

const call = (index: number, fn: object, id?: string) =>
  openaiChunk({ tool_calls: [{ index, ...(id === undefined ? {} : { id, type: 'function' }), function: fn }] });
const MESSAGE = { id: 'msg_upstream', type: 'message', role: 'assistant', model: 'upstream-model', content: [] };

export const RECORDINGS: readonly Recording[] = [
  ...(Object.keys(SAYERS) as UpstreamName[]).flatMap((upstream) =>
    SAYINGS.map(([what, said]) => record(what, upstream, SAYERS[upstream](said).stream ?? [])),
  ),
  record('two calls mixed up', 'openai', [
    openaiChunk({ role: 'assistant', content: null }),
    call(0, { name: 'look', arguments: '' }, 'call_1'),
    call(1, { name: 'hear', arguments: '' }, 'call_2'),
    call(0, { arguments: '{"a"' }),
    call(1, { arguments: '{"b"' }),
    call(0, { arguments: ':1}' }),
    call(1, { arguments: ':2}' }),
    openaiChunk({}, 'tool_calls'),
    '[DONE]',
  ]),
  record('a call whose arguments come all at the end', 'openai', [
    openaiChunk({ role: 'assistant', content: '' }),
    openaiChunk({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'look' } }] }),
    openaiChunk({ tool_calls: [{ index: 0, function: { arguments: '{"at":"早安"}' } }] }, 'tool_calls'),
    '[DONE]',
  ]),
  record('a refusal', 'openai', [
    openaiChunk({ role: 'assistant', refusal: 'I can' }),
    openaiChunk({ refusal: 'not.' }),
    openaiChunk({}, 'stop'),
    '[DONE]',
  ]),
  record('a refusal after some words', 'anthropic', [
    { type: 'message_start', message: { ...MESSAGE, usage: { input_tokens: 11, output_tokens: 1 } } },
    ...anthropicBlock(
      [
        { type: 'text', text: '' },
        { type: 'text_delta', text: 'Well,' },
      ],
      0,
    ),
    {
      type: 'message_delta',
      delta: { stop_reason: 'refusal', stop_details: { category: 'cyber', explanation: 'I cannot.' } },
      usage: { output_tokens: 7 },
    },
    { type: 'message_stop' },
  ]),
  record('several parts in one chunk', 'gemini', [
    geminiChunk([{ text: 'Hm', thought: true }, { text: 'Yes' }]),
    geminiChunk([{ text: '.' }, { functionCall: { name: 'look', args: { at: '早' } }, thoughtSignature: 'c2ln' }]),
    geminiChunk([{ functionCall: { name: 'hear', args: {} } }], 'STOP'),
  ]),
];
