// The ways in which an upstream can fail before its first word, each with something in it that must never be told.

import { chatAnswer, chatChunks, errorScript, sseScript, sseText } from './openai-chat.ts';
import type { Script } from './script.ts';

export const UPSTREAM_SECRETS = {
  host: 'api.upstream-host.example.com',
  key: 'sk-proj-UPSTREAMKEY0123456789',
  org: 'org-UpstreamOrg42',
  text: 'the words of an upstream about itself',
};

/** A name for the test, and what the upstream plays. */
export type Failure = [what: string, script: Script];

const { host, key, org, text } = UPSTREAM_SECRETS;
const TELLING = `${text}: see https://${host}/keys, key ${key} of ${org}`;
const HEADERS = { 'openai-organization': org, 'x-request-id': 'req_upstream0001', via: host };
const fail = (status: number, more: Record<string, string> = {}) =>
  errorScript(status, { message: TELLING, type: 'x', code: 'invalid_api_key', param: null }, { ...HEADERS, ...more });

/** Failures that another channel can make good, of whole answers and of streams alike. */
export const STATUS_FAILURES: Failure[] = [
  ['401', fail(401)],
  ['402', fail(402)],
  ['403', fail(403)],
  ['404', fail(404)],
  ['408', fail(408)],
  ['429 with a long wait', fail(429, { 'retry-after': '120' })],
  ['500', fail(500)],
  ['502 in HTML', { status: 502, headers: { 'content-type': 'text/html' }, body: [`<html>${TELLING}</html>`] }],
  ['503', fail(503)],
  ['a redirect', { status: 302, headers: { location: `https://${host}/elsewhere` }, body: [] }],
  ['HTML with status 200', { headers: { 'content-type': 'text/html' }, body: [`<html>${TELLING}</html>`] }],
  ['a reset before the status line', { cut: { after: 'head', by: 'rst' } }],
  ['a close before the status line', { cut: { after: 'head', by: 'fin' } }],
  [
    'no HTTP at all',
    { status: 200, headers: { 'content-type': 'application/json', 'content-length': '-5' }, body: [] },
  ],
];

export const WHOLE_FAILURES: Failure[] = [
  ['JSON that is no answer', { headers: { 'content-type': 'application/json' }, body: [`{"note":"${TELLING}"}`] }],
  ['an answer without choices', { headers: { 'content-type': 'application/json' }, body: ['{"choices":[]}'] }],
  ['an empty body', { headers: { 'content-type': 'application/json' }, body: [] }],
  [
    'half a body',
    { headers: { 'content-type': 'application/json' }, body: ['{"choices":[', 'x'], cut: { after: 12, by: 'fin' } },
  ],
  [
    'an error with status 200',
    { headers: { 'content-type': 'application/json' }, body: [`{"error":{"message":"${TELLING}"}}`] },
  ],
  ['an answer that it could not finish', chatAnswer({ pieces: [TELLING], finish: 'insufficient_system_resource' })],
];

const [role, ...rest] = chatChunks({ pieces: ['Hello'] }).map((chunk) => sseText(JSON.stringify(chunk)));
const ROLE = role ?? '';

export const STREAM_FAILURES: Failure[] = [
  ['JSON instead of a stream', { headers: { 'content-type': 'application/json' }, body: [`{"note":"${TELLING}"}`] }],
  ['an error event first', sseScript([sseText(JSON.stringify({ error: { message: TELLING, code: key } }))])],
  ['an error event after the role', sseScript([ROLE, sseText(JSON.stringify({ error: { message: TELLING } }))])],
  ['an error that is a text', sseScript([ROLE, sseText(JSON.stringify({ error: TELLING }))])],
  ['an error without a name', sseScript([ROLE, sseText(JSON.stringify({ object: 'error', message: TELLING }))])],
  ['an event that is no JSON', sseScript([ROLE, sseText(`{"broken": ${TELLING}`), ...rest])],
  ['an error finish', sseScript([ROLE, sseText('{"choices":[{"index":0,"delta":{},"finish_reason":"error"}]}')])],
  ['an end after the role', sseScript([ROLE])],
  ['an end without any event', sseScript([])],
  ['[DONE] and nothing else', sseScript([sseText('[DONE]')])],
  ['a cut after the role', sseScript([ROLE, ...rest], { cut: { after: ROLE.length, by: 'fin' } })],
  ['a reset after the role', sseScript([ROLE, ...rest], { cut: { after: ROLE.length, by: 'rst' } })],
];
