// Calls that carry a mark wherever a client or an upstream can put text: one list, so that a new path is one more line.

import type { Answer } from '../support/answer.ts';
import {
  chatAnswer,
  chatChunks,
  chatStream,
  errorScript,
  jsonScript,
  sseScript,
  sseText,
} from '../support/openai-chat.ts';
import { cutAt, type Script } from '../support/script.ts';
import { type TestDocument, testDocument, upModel } from '../support/test-document.ts';
import type { ScriptedUpstream, SeenRequest } from '../support/upstream.ts';
import { translatedCalls, translatedChannels, translatedModels } from './translated-calls.ts';

export interface MarkedCall {
  what: string;
  path: string;
  init: RequestInit;
  /** What the upstream plays, if it is asked. */
  script?: Script | ((request: SeenRequest) => Script);
  /** A path at which the upstream must have been asked. */
  reaches?: RegExp;
  /** Words that the client must be told, with status 200. */
  tells?: string;
  /** The client's own words, or the upstream's about them, may come back in this answer. */
  mayEcho?: boolean;
}

const CHAT = '/v1/chat/completions';
const MAX_PATHS = 60;

/** What the calls need. */
export function markedDocument(baseUrl: string): TestDocument {
  const standard = testDocument(baseUrl);
  return {
    ...standard,
    limits: { ...standard.limits, free_per_minute: 3 },
    channels: [...standard.channels, ...translatedChannels(baseUrl)],
    models: [
      ...standard.models,
      ...translatedModels(),
      ...Array.from({ length: MAX_PATHS }, (_, n) =>
        upModel(`path-${n}`, { price: { input: 10, output: 40 }, routes: [{ channel: 'up', model: `path-${n}` }] }),
      ),
      upModel('dear', { price: { input: 100_000, output: 100_000 } }),
      upModel('short', { context_tokens: 20, price: 'free' }),
      upModel('paint', { kinds: ['images'], price: { image: 1 } }),
      upModel('paint-cheap', { kinds: ['images'], price: { image: 0.001 } }),
      upModel('hear', { kinds: ['transcription'], price: { second: 0.000001 } }),
    ],
  };
}

export interface ToldFault {
  what: string;
  status: number;
  text: string;
}

/** Sends them one after the other; the faults that must not tell the mark. Throws if one does not come where it should. */
export async function sendMarked(url: string, upstream: ScriptedUpstream, calls: MarkedCall[]): Promise<ToldFault[]> {
  const faults: ToldFault[] = [];
  for (const { what, path, init, script, reaches, tells = '', mayEcho = false } of calls) {
    upstream.reset();
    upstream.otherwise(script ?? { status: 500 });
    const response = await fetch(url + path, init);
    const text = `${await response.text()} ${JSON.stringify([...response.headers])}`;
    const wasAsked = upstream.requests.some((seen) => reaches?.test(seen.path) ?? true);
    if (wasAsked !== (script !== undefined)) throw new Error(`${what} should reach the upstream: ${wasAsked} ${text}`);
    const isTold = tells === '' || (response.status === 200 && text.includes(tells));
    if (!isTold) throw new Error(`${what} should be answered: ${response.status} ${text}`);
    if (response.status >= 400 && !mayEcho) faults.push({ what, status: response.status, text });
  }
  return faults;
}

/** `mark` is text that holds the mark many times, so that no page or buffer boundary can hide it. */
export function markedCalls(mark: string, word: string, key: string, emptyKey: string): MarkedCall[] {
  const auth = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const post = (body: unknown, headers: Record<string, string> = auth): RequestInit => ({
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const messages = [
    { role: 'system', content: `system ${mark}` },
    { role: 'user', content: [{ type: 'text', text: `part ${mark}` }], name: word },
    {
      role: 'assistant',
      content: mark,
      tool_calls: [{ id: word, type: 'function', function: { name: word, arguments: mark } }],
    },
    { role: 'tool', tool_call_id: word, content: mark },
    { role: 'user', content: mark },
  ];
  const full = {
    messages,
    max_tokens: 50,
    user: word,
    metadata: { [word]: mark },
    stop: [word],
    tools: [{ type: 'function', function: { name: word, description: mark, parameters: { [word]: mark } } }],
    response_format: { type: 'json_schema', json_schema: { name: word, schema: { description: mark } } },
    [word]: mark,
  };
  const form = (fields: Record<string, string>, file: string): RequestInit => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    body.append(file, new File([mark], `${word}.png`, { type: 'image/png' }));
    return { method: 'POST', headers: { authorization: auth.authorization }, body };
  };
  const chat = (rest: Record<string, unknown>) => post({ ...full, ...rest });
  let paths = 0;
  /** Each on a model of its own: what one failure did to its channel must not keep the next call from it. */
  const up = (rest: Record<string, unknown> = {}) => chat({ model: `path-${paths++}`, ...rest });
  const askByTool = (given: Record<string, unknown>) =>
    post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask', arguments: given } });
  const [role = '', ...deltas] = (chatStream({ pieces: [`reply ${mark}`, mark], extra: { note: mark } }).body ??
    []) as string[];
  const stream = { stream: true, stream_options: { include_usage: true } };
  const told = { message: `about ${mark}`, type: word, code: word, param: word };

  return [
    {
      what: 'a whole answer',
      path: CHAT,
      init: up(),
      script: chatAnswer({ pieces: [mark], reasoning: [mark], extra: { note: mark } }),
      mayEcho: true,
    },
    {
      what: 'a stream',
      path: CHAT,
      init: up(stream),
      script: chatStream({ pieces: [mark], reasoning: [mark] }),
      mayEcho: true,
    },
    {
      what: 'a free call',
      path: CHAT,
      init: chat({ model: 'up-free' }),
      script: chatAnswer({ pieces: [mark] }),
      mayEcho: true,
    },
    { what: 'a quote', path: '/api/quote', init: post({ endpoint: CHAT, body: { ...full, model: 'up-paid' } }) },
    {
      what: 'a quote that cannot be made',
      path: '/api/quote',
      init: post({ endpoint: CHAT, body: { ...full, model: 'up-paid', messages: mark } }),
    },
    { what: 'a quote of the mark', path: '/api/quote', init: post({ endpoint: mark, body: mark }) },
    {
      what: 'a call with a quote of another',
      path: CHAT,
      init: post({ ...full, model: 'up-paid' }, { ...auth, 'x-svc-quote': word }),
    },
    {
      what: 'a tool call of an MCP client',
      path: '/mcp',
      init: askByTool({ model: `path-${paths++}`, prompt: mark, messages: [{ role: 'system', content: mark }] }),
      script: chatAnswer({ pieces: [`told ${word}`] }),
      tells: `told ${word}`,
    },
    {
      what: 'a tool call of an MCP client that is refused',
      path: '/mcp',
      init: askByTool({ model: 'dear', prompt: mark, session: word, [word]: mark }),
      tells: 'insufficient_balance',
    },
    { what: 'an MCP message of the mark', path: '/mcp', init: post({ jsonrpc: '2.0', id: 1, method: mark }) },
    { what: 'the demo channel', path: CHAT, init: chat({ model: 'demo-small', max_tokens: 3, ...stream }) },
    {
      what: 'usage that is text',
      path: CHAT,
      init: up(),
      script: chatAnswer({ pieces: [mark], usage: { prompt_tokens: mark, completion_tokens: word } }),
      mayEcho: true,
    },
    {
      what: 'an answer without usage',
      path: CHAT,
      init: up(stream),
      script: chatStream({ pieces: [mark], usage: null }),
      mayEcho: true,
    },
    {
      what: 'a finish nobody knows',
      path: CHAT,
      init: up(),
      script: chatAnswer({ pieces: [mark], finish: word }),
      mayEcho: true,
    },
    {
      what: 'headers of the upstream',
      path: CHAT,
      init: up(),
      script: {
        ...chatAnswer(),
        headers: { 'content-type': 'application/json', 'x-note': word, 'x-request-id': word },
      },
    },

    { what: 'broken JSON, the mark in a value', path: CHAT, init: post(`{"model":"up-paid","messages":"${mark}`) },
    { what: 'broken JSON, the mark in a key', path: CHAT, init: post(`{"${mark}" "x"}`) },
    { what: 'the mark alone', path: CHAT, init: post(mark) },
    { what: 'a key twice', path: CHAT, init: post(`{"${word}":1,"${word}":"${mark}"}`) },
    {
      what: 'JSON too deep',
      path: CHAT,
      init: post(`{"model":"up-paid","x":${`["${word}",`.repeat(80)}1${']'.repeat(80)}}`),
    },
    { what: 'too many values', path: CHAT, init: post(`{"model":"up-paid","x":[${`"${word}",`.repeat(100_001)}1]}`) },
    // What looks like a model's id is one, and is named.
    { what: 'an unknown model', path: CHAT, init: chat({ model: `${word} and more` }) },
    { what: 'a model name too long', path: CHAT, init: chat({ model: mark }) },
    { what: 'a role nobody knows', path: CHAT, init: up({ messages: [{ role: word, content: mark }] }) },
    { what: 'messages that are text', path: CHAT, init: up({ messages: mark }) },
    { what: 'a flag that is text', path: CHAT, init: up({ stream: mark }) },
    { what: 'a number that is text', path: CHAT, init: up({ max_tokens: mark }) },
    { what: 'options that are text', path: CHAT, init: up({ stream_options: mark }) },
    { what: 'the wrong kind of model', path: CHAT, init: chat({ model: 'paint' }) },
    { what: 'a prompt too long', path: CHAT, init: chat({ model: 'short' }) },
    { what: 'no money', path: CHAT, init: chat({ model: 'dear' }) },
    {
      what: 'no free call left',
      path: CHAT,
      init: post({ ...full, model: 'up-free' }, { ...auth, authorization: `Bearer ${emptyKey}`, 'x-svc-no-wait': '1' }),
    },
    {
      what: 'an edit of an image',
      path: '/v1/images/edits',
      init: form({ model: 'paint-cheap', prompt: mark, [word]: mark }, 'image'),
      script: jsonScript(200, { data: [{ b64_json: mark }] }),
      mayEcho: true,
    },
    {
      what: 'a transcript',
      path: '/v1/audio/transcriptions',
      init: form({ model: 'hear', prompt: mark }, 'file'),
      script: jsonScript(200, { text: mark }),
      mayEcho: true,
    },
    {
      what: 'a recording that the upstream refuses',
      path: '/v1/audio/transcriptions',
      init: form({ model: 'hear', prompt: mark, stream: 'true' }, 'file'),
      script: errorScript(500, told),
    },
    { what: 'a form with a wrong field', path: '/v1/images/edits', init: form({ model: 'paint', n: mark }, 'image') },
    { what: 'a form with a wrong file', path: '/v1/images/edits', init: form({ model: 'paint' }, word) },
    { what: 'no key', path: CHAT, init: post({ ...full, model: 'up-paid' }, {}) },
    {
      what: 'the mark as a key',
      path: CHAT,
      init: post({ ...full, model: 'up-paid' }, { authorization: `Bearer ${word}` }),
    },
    {
      what: 'a body too large',
      path: CHAT,
      init: post(`{"model":"up-paid","x":"${mark.repeat(Math.ceil(22_000_000 / mark.length))}"}`),
    },
    { what: 'models to try', path: CHAT, init: chat({ model: 'up-paid', models: [mark] }) },
    { what: 'a channel', path: CHAT, init: chat({ model: 'up-paid', provider: { only: [mark] } }) },
    { what: 'a compressed body', path: CHAT, init: post({ ...full }, { ...auth, 'content-encoding': word }) },
    { what: 'an unknown route', path: `/v1/${word}?q=${word}`, init: post({ ...full }) },
    { what: 'an unknown route in the other envelope', path: `/v1/messages/${word}`, init: post({ ...full }) },
    { what: 'the wrong method', path: `/v1/models/${word}`, init: post({ ...full }) },
    { what: 'a model asked for by name', path: `/v1/models/${word}%20and%20more`, init: { headers: auth } },
    { what: 'a receipt asked for by name', path: `/api/receipts/${word}`, init: { headers: auth } },
    {
      what: 'headers of the client',
      path: '/v1/models',
      init: {
        headers: {
          ...auth,
          'user-agent': word,
          'x-note': word,
          referer: `https://page.example/${word}`,
          cookie: `a=${word}`,
        },
      },
    },
    { what: 'a cursor', path: `/api/usage?cursor=${word}&model=${word}`, init: { headers: auth } },
    { what: 'a registration', path: '/api/agent/register', init: post({ note: word }, {}) },
    { what: 'a broken registration', path: '/api/agent/register', init: post(`{"${word}`, {}) },
    { what: 'a card code', path: '/api/redeem', init: post({ code: word }) },

    { what: 'an upstream’s 400', path: CHAT, init: up(), script: errorScript(400, told), mayEcho: true },
    {
      what: 'an upstream’s content policy',
      path: CHAT,
      init: up(),
      script: errorScript(400, { ...told, code: 'content_policy_violation' }),
      mayEcho: true,
    },
    { what: 'an upstream’s 401', path: CHAT, init: up(), script: errorScript(401, told) },
    { what: 'an upstream’s 404', path: CHAT, init: up(), script: errorScript(404, told) },
    { what: 'an upstream’s 429', path: CHAT, init: up(), script: errorScript(429, told, { 'retry-after': word }) },
    { what: 'an upstream’s 500', path: CHAT, init: up(), script: errorScript(500, told) },
    {
      what: 'HTML instead of an answer',
      path: CHAT,
      init: up(),
      script: { headers: { 'content-type': 'text/html' }, body: [`<p>${mark}</p>`] },
    },
    { what: 'JSON that is no answer', path: CHAT, init: up(), script: jsonScript(200, { [word]: mark }) },
    { what: 'half an answer', path: CHAT, init: up(), script: cutAt(chatAnswer({ pieces: [mark] }), 120, 'fin') },
    { what: 'an event that is no JSON', path: CHAT, init: up(stream), script: sseScript([role, sseText(`{${mark}`)]) },
    {
      what: 'an error event',
      path: CHAT,
      init: up(stream),
      script: sseScript([role, sseText(JSON.stringify({ error: told }))]),
    },
    { what: 'JSON instead of a stream', path: CHAT, init: up(stream), script: jsonScript(200, { [word]: mark }) },
    {
      what: 'an error event after the first words',
      path: CHAT,
      init: up(stream),
      script: sseScript([role, deltas[0] ?? '', 20, sseText(JSON.stringify({ error: told }))]),
      mayEcho: true,
    },
    {
      what: 'a stream that is cut',
      path: CHAT,
      init: up(stream),
      script: cutAt(sseScript([role, ...deltas]), role.length + (deltas[0]?.length ?? 0) + 40, 'fin', 20),
      mayEcho: true,
    },
    {
      what: 'a stream that is reset',
      path: CHAT,
      init: up(stream),
      script: cutAt(sseScript([role, ...deltas]), role.length + 60, 'rst', 20),
      mayEcho: true,
    },
    ...translatedCalls(mark, word, key),
  ];
}

/** A stream that has begun and does not end: for clients that leave and servers that are killed. */
export function endlessStream(mark: string): Script {
  const [role, ...deltas] = chatChunks({ pieces: [`reply ${mark}`, mark] }).map((chunk: Answer) =>
    sseText(JSON.stringify(chunk)),
  );
  const begun = [role ?? '', deltas[0] ?? ''].join('');
  return cutAt(sseScript([begun, ...deltas.slice(1)]), Buffer.byteLength(begun), 'stall');
}
