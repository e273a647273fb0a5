// Marked calls of every format to every other kind of upstream, streams that go on at another one, and answers that are paused
// and continued: text that is read into no dialect, written in another, and kept for a while.

import { streamedTurn, wholeTurn } from '../support/anthropic-turns.ts';
import { bytesOf, cutAt, type Script } from '../support/script.ts';
import type { SeenRequest } from '../support/upstream.ts';
import type { Said } from '../translation/said.ts';
import {
  CLIENTS,
  type ClientName,
  PAIRS,
  replyScript,
  requestOf,
  UPSTREAMS,
  type UpstreamName,
} from '../translation/sides.ts';
import type { MarkedCall } from './marked-calls.ts';

const WAYS = ['whole', 'streamed', 'cut', 'failed'] as const;
type Way = (typeof WAYS)[number];

/** Begun at one kind of upstream and continued at another: with the beginning given to it, or by a run from the start. */
const RESUMED: [client: ClientName, first: UpstreamName, second: UpstreamName, prefill: boolean][] = [
  ['chat', 'openai', 'anthropic', true],
  ['messages', 'anthropic', 'gemini', false],
  ['responses', 'openai-responses', 'openai', false],
];

/** Paused by Claude, and then continued or refused. */
const PAUSED = (['chat', 'responses'] as const).flatMap((client) =>
  [false, true].flatMap((stream) =>
    [false, true].map((isRefused) => ({
      client,
      stream,
      isRefused,
      id: `paused-${client}-${stream ? 'streamed' : 'whole'}-${isRefused ? 'refused' : 'continued'}`,
    })),
  ),
);

/** In what each kind of upstream is asked. */
const PATHS: Readonly<Record<UpstreamName, RegExp>> = {
  openai: /\/chat\/completions$/,
  anthropic: /\/messages$/,
  gemini: /GenerateContent/i,
  'openai-responses': /\/responses$/,
};

const idOf = (client: ClientName, upstream: UpstreamName, way: Way) => `${client}-on-${upstream}-${way}`;
const resumedId = (client: ClientName) => `resumed-${client}`;
const channelName = (upstream: UpstreamName) => `on-${upstream}`;

/** A model for each call: what one failure did to its route must not keep the next call from it. */
export function translatedModels(): Record<string, unknown>[] {
  const model = (id: string, routes: [UpstreamName, Record<string, unknown>][]) => ({
    id,
    max_output_tokens: 1_000,
    context_tokens: 16_000,
    price: { input: 10, output: 40 },
    routes: routes.map(([upstream, rest]) => ({
      channel: channelName(upstream),
      model: `${UPSTREAMS[upstream].model}.${id}`,
      ...rest,
    })),
  });
  return [
    ...PAIRS.flatMap(([client, upstream]) => WAYS.map((way) => model(idOf(client, upstream, way), [[upstream, {}]]))),
    ...PAUSED.map(({ id }) => model(id, [['anthropic', {}]])),
    ...RESUMED.map(([client, first, second, prefill]) =>
      model(resumedId(client), [
        [first, { priority: 1 }],
        [second, { priority: 2, prefill }],
      ]),
    ),
  ];
}

export function translatedChannels(baseUrl: string): Record<string, unknown>[] {
  const base = baseUrl.replace(/\/v1$/, '');
  return (Object.keys(UPSTREAMS) as UpstreamName[]).map((name) => UPSTREAMS[name].channel(channelName(name), base));
}

export function translatedCalls(mark: string, word: string, key: string): MarkedCall[] {
  const said: Said = {
    reasoning: [`thought ${mark}`],
    text: [`reply ${mark}`, ` and ${mark}`],
    calls: [{ id: 'call_1', name: 'look', arguments: [JSON.stringify({ at: mark })] }],
  };
  const told = { error: { message: `about ${mark}`, type: word, code: word, param: word, status: word } };
  const scripts: Readonly<Record<Way, (upstream: UpstreamName) => Script>> = {
    whole: (upstream) => replyScript(upstream, UPSTREAMS[upstream].says(said), false),
    streamed: (upstream) => replyScript(upstream, UPSTREAMS[upstream].says(said), true),
    cut: (upstream) => cutAfterWords(replyScript(upstream, UPSTREAMS[upstream].says(said), true), word),
    failed: () => ({ status: 500, headers: { 'content-type': 'application/json' }, body: [JSON.stringify(told)] }),
  };
  const call = (client: ClientName, model: string, stream: boolean): Pick<MarkedCall, 'path' | 'init'> => {
    const fields = CLIENTS[client].body({ model, stream, ...asking(client, mark, word) });
    const { path, body } = requestOf(client, fields);
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-session-id': word };
    return { path, init: { method: 'POST', headers, body: JSON.stringify(body) } };
  };
  return [
    ...PAIRS.flatMap(([client, upstream]) =>
      WAYS.map((way) => ({
        what: `${client} to ${upstream}, ${way}`,
        ...call(client, idOf(client, upstream, way), way === 'streamed' || way === 'cut'),
        script: scripts[way](upstream),
        reaches: PATHS[upstream],
        ...(way === 'whole' || way === 'streamed' ? { tells: ` and ${word}` } : {}),
        mayEcho: way !== 'failed',
      })),
    ),
    ...PAUSED.map(({ client, stream, isRefused, id }) => {
      const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: mark } };
      const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [{ title: mark }] };
      const paused = { content: [{ type: 'text', text: `paused ${word}` }, search, found], stop: 'pause_turn' };
      const next = { content: [{ type: 'text', text: ` then ${mark}` }] };
      const write = stream ? streamedTurn : wholeTurn;
      return {
        what: id,
        ...call(client, id, stream),
        script: ({ json }: SeenRequest) => {
          if (json.messages.at(-1).role !== 'assistant') return write(paused);
          return isRefused ? scripts.failed('anthropic') : write(next);
        },
        reaches: PATHS.anthropic,
        tells: isRefused ? `paused ${word}` : ` then ${word}`,
        mayEcho: true,
      };
    }),
    ...RESUMED.map(([client, first, second, prefill]) => {
      const words: Said = { text: [`begun ${mark}`, ` then ${mark}`] };
      const rest: Said = prefill ? { text: [` then ${mark}`] } : words;
      const begun = cutAfterWords(replyScript(first, UPSTREAMS[first].says(words), true), word);
      const goneOn = replyScript(second, UPSTREAMS[second].says(rest), true);
      return {
        what: `${client}, begun at ${first} and continued at ${second}`,
        ...call(client, resumedId(client), true),
        script: ({ path }: SeenRequest) => (PATHS[second].test(path) ? goneOn : begun),
        reaches: PATHS[second],
        tells: ` then ${word}`,
        mayEcho: true,
      };
    }),
  ];
}

function asking(client: ClientName, mark: string, word: string): Record<string, unknown> {
  const picture = `data:image/png;base64,${Buffer.from(mark).toString('base64')}`;
  if (client === 'responses') {
    const content = [
      { type: 'input_text', text: mark },
      { type: 'input_image', image_url: picture },
    ];
    const tools = [{ type: 'function', name: word, description: mark, parameters: { type: 'object' } }];
    return { instructions: mark, input: [{ role: 'user', content }], max_output_tokens: 2_000, tools };
  }
  if (client === 'gemini') {
    const inlineData = { mimeType: 'image/png', data: Buffer.from(mark).toString('base64') };
    return {
      systemInstruction: { parts: [{ text: mark }] },
      contents: [{ role: 'user', parts: [{ text: mark }, { inlineData }] }],
      tools: [{ functionDeclarations: [{ name: word, description: mark, parameters: { type: 'OBJECT' } }] }],
    };
  }
  if (client === 'messages') {
    const source = { type: 'base64', media_type: 'image/png', data: Buffer.from(mark).toString('base64') };
    const content = [
      { type: 'text', text: mark },
      { type: 'image', source },
    ];
    const tools = [{ name: word, description: mark, input_schema: { type: 'object' } }];
    return {
      system: mark,
      messages: [{ role: 'user', content }],
      max_tokens: 2_000,
      tools,
      metadata: { user_id: word },
    };
  }
  const content = [
    { type: 'text', text: mark },
    { type: 'image_url', image_url: { url: picture } },
  ];
  const tools = [{ type: 'function', function: { name: word, description: mark, parameters: { type: 'object' } } }];
  const messages = [
    { role: 'system', content: mark },
    { role: 'user', content },
  ];
  return { messages, max_tokens: 2_000, tools, user: word };
}

/** Broken off a little after the gateway has read the first event that carries the mark. */
function cutAfterWords(script: Script, word: string): Script {
  const parts = (script.body ?? []).map(String);
  const events = parts.findIndex((part) => part.includes(word)) + 1;
  return cutAt(script, bytesOf(parts.slice(0, events).join('')).byteLength, 'rst', 30);
}
