// Small streams as upstreams send them, one of each kind that a cut could spoil in its own way.

import { messageEvents } from './anthropic-messages.ts';
import { UPSTREAM_MODEL } from './openai-chat.ts';
import { type ResponseOptions, responseEvents, responseFrame } from './openai-responses.ts';
import type { WireClient } from './wire-clients.ts';

export interface RecordedStream {
  what: string;
  client: WireClient['name'];
  events: readonly string[];
  /** Answers asked for at once. */
  choices: number;
  /** The whole text, where text is all there is. */
  text?: string;
  /** A run of the same shape that says something else. */
  other: readonly string[];
  /** The rest of the text as a stream of its own. */
  goOn(rest: string): string;
}

/** Only what a reader needs: every byte is cut at. */
const SHORT_MESSAGE = { id: 'm', model: 's', content: [], usage: { input_tokens: 11, output_tokens: 1 } };

type Choice = [index: number, delta: unknown, finish?: string];

const HEAD = { id: 'c', created: 1, model: 's' };
const chunk = (choices: Choice[], rest: object = {}) =>
  `data: ${JSON.stringify({ ...HEAD, choices: choices.map(([index, delta, finish]) => ({ index, delta, finish_reason: finish ?? null })), ...rest })}\n\n`;

function chat(what: string, deltas: readonly Choice[], finish = 'stop', choices = 1, text?: string): RecordedStream {
  const each = Array.from({ length: choices }, (_, index) => index);
  const events = [
    ...each.map((index) => chunk([[index, { role: 'assistant' }]])),
    ...deltas.map((delta) => chunk([delta])),
    ...each.map((index) => chunk([[index, {}, finish]])),
    chunk([], { usage: { prompt_tokens: 11, completion_tokens: 7 } }),
    'data: [DONE]\n\n',
  ];
  return {
    what: `chat, ${what}`,
    client: 'chat',
    choices,
    ...byWords(events),
    ...(text === undefined ? {} : { text }),
  };
}

const call = (index: number, fn: object, id?: string): Choice => [
  0,
  { tool_calls: [{ index, ...(id ? { id, type: 'function' } : {}), function: fn }] },
];

function messages(what: string, options: Parameters<typeof messageEvents>[0], text?: string): RecordedStream {
  const events = messageEvents(options)
    .filter(({ type }) => type !== 'ping')
    .map((event) => (event.type === 'message_start' ? { ...event, message: SHORT_MESSAGE } : event))
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  return {
    what: `messages, ${what}`,
    client: 'messages',
    choices: 1,
    ...byWords(events),
    ...(text === undefined ? {} : { text }),
  };
}

/** `other`: what a run says instead; all that is said is said again at the end. */
function responses(what: string, options: ResponseOptions, other: ResponseOptions, text?: string): RecordedStream {
  const framesOf = (run: ResponseOptions) =>
    responseEvents(run)
      .filter(({ type }) => type !== 'response.in_progress')
      .map((event, at) => responseFrame({ ...event, sequence_number: at }).replace(UPSTREAM_MODEL, 's'));
  return {
    what: `responses, ${what}`,
    client: 'responses',
    choices: 1,
    events: framesOf(options),
    other: framesOf({ ...other, run: 'b' }),
    goOn: (rest) => framesOf({ pieces: rest === '' ? [] : [rest], run: 'c' }).join(''),
    ...(text === undefined ? {} : { text }),
  };
}

export const RECORDED_STREAMS: RecordedStream[] = [
  chat(
    'text',
    [
      [0, { content: 'One' }],
      [0, { content: ' two' }],
      [0, { content: '.\n' }],
    ],
    'stop',
    1,
    'One two.\n',
  ),
  chat(
    'Chinese',
    [
      [0, { content: '早安' }],
      [0, { content: '，世' }],
      [0, { content: '🌏' }],
    ],
    'stop',
    1,
    '早安，世🌏',
  ),
  chat('reasoning', [
    [0, { reasoning_content: 'Hm' }],
    [0, { reasoning_content: '…' }],
    [0, { content: 'Yes' }],
    [0, { content: '.' }],
  ]),
  chat(
    'tool calls',
    [
      call(0, { name: 'look', arguments: '' }, 'call_a'),
      call(0, { arguments: '{"at"' }),
      call(0, { arguments: ':1}' }),
      call(1, { name: 'go', arguments: '{}' }, 'call_b'),
    ],
    'tool_calls',
  ),
  chat(
    'two choices',
    [
      [0, { content: 'A' }],
      [1, { content: 'B' }],
      [0, { content: 'a' }],
      [1, { content: 'b' }],
    ],
    'stop',
    2,
  ),
  messages('text', { pieces: ['One', ' 二', '.\n'] }, 'One 二.\n'),
  messages('thinking and text', { thinking: ['Hm', '…'], pieces: ['Yes', '.'] }),
  messages('a tool', { pieces: [], tool: { name: 'look', input: ['{"at"', ':1}'] }, stop: 'tool_use' }),
  messages('several blocks', {
    thinking: ['Hm'],
    pieces: ['Yes', '.'],
    tool: { name: 'go', input: ['{}'] },
    stop: 'tool_use',
  }),
  responses('text', { pieces: ['One', ' 二', '.\n'] }, { pieces: ['Zzz', ' 二'] }, 'One 二.\n'),
  responses('reasoning and text', { reasoning: ['Hm', '…'], pieces: ['Yes'] }, { reasoning: ['Zzz'], pieces: ['Yes'] }),
  responses('tools', toolRun('look', '{"at"'), toolRun('hide', '{"to"')),
];

function toolRun(name: string, begin: string): ResponseOptions {
  const go = { name: 'go', arguments: ['{}'], callId: 'y' };
  return { pieces: [], tools: [{ name, arguments: [begin, ':1}'], callId: 'x' }, go] };
}

/** For streams that say everything once: other runs are made of the same events by changing words. */
function byWords(events: readonly string[]): Pick<RecordedStream, 'events' | 'other' | 'goOn'> {
  return { events, other: otherWords(events), goOn: (rest) => onlySaying(events, rest) };
}

/** Its first words, or its arguments, are others. */
function otherWords(events: readonly string[]): string[] {
  const swaps: [RegExp, string][] = [
    [/"(content|text|reasoning_content|thinking)":"[^"]+"/g, '"$1":"Zzz"'],
    [/\{\\"at\\"/g, '{\\"to\\"'],
    [/"name":"look"/g, '"name":"hide"'],
  ];
  return events.map((event) => swaps.reduce((text, [from, to]) => text.replace(from, to), event));
}

function onlySaying(events: readonly string[], rest: string): string {
  const isText = (event: string) => /"content":"|"text_delta"/.test(event);
  const [sample = ''] = events.filter(isText);
  const own = sample.replace(/"(content|text)":"[^"]*"/, (_, name) => `"${name}":${JSON.stringify(rest)}`);
  const at = events.indexOf(sample);
  const others = events.filter((event) => !isText(event));
  return [...others.slice(0, at), ...(rest === '' ? [] : [own]), ...others.slice(at)].join('');
}
