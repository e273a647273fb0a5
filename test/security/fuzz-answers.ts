// What is wrong with an answer to a random call; nothing, one hopes.

import { type Answer, faultCode } from '../support/answer.ts';
import type { FuzzCall } from './fuzz-calls.ts';
import { asksModel, LISTED_ROUTES } from './route-list.ts';

const INSIDE = /\.tsx?:\d|node_modules|\bat \w+ \(|sqlite_|SQLITE|bun:|Something went wrong/;
/** Paths of the calls that reach a model. */
const RELAYED = LISTED_ROUTES.filter(asksModel).map(({ path }) => new RegExp(`^${path.replace(':model', '.+')}$`));
/** Google's newer libraries call its methods below v1. */
const GEMINI_METHOD =
  /^\/v1\/models.*:(?:generateContent|streamGenerateContent|countTokens|embedContent|batchEmbedContents)$/;
/** Codes of the faults above 499 that an upstream or a limit explains. */
const INTERNAL_ERROR = -32_603;
const EXPLAINED = ['upstream_failed', 'unavailable', 'loop_detected'];

export function judge(call: FuzzCall, response: Response, text: string, secrets: readonly string[]): string[] {
  const { status, headers } = response;
  const wrong: string[] = [];
  const whole = `${text} ${JSON.stringify([...headers])}`;
  for (const secret of secrets) if (whole.includes(secret)) wrong.push(`shows ${secret}`);
  if (INSIDE.test(whole)) wrong.push('shows our inside');
  if (headers.has('set-cookie') || headers.has('server')) wrong.push('has a header that no API answer has');
  const pathname = new URL(`http://x${call.path}`).pathname
    .replace(/^\/+/, '/')
    .replace(/\/$/, '')
    .replace(/^\/v1\/v1\//, '/v1/');
  const isApi = /^\/(v1|v1beta|v2|api|mcp)(\/|$)/.test(pathname);
  if (call.method !== 'OPTIONS' && isApi) {
    const id = headers.get('x-request-id');
    if (!id?.startsWith('req_') || headers.get('request-id') !== id) wrong.push('has no request id');
  }
  if (status >= 400 && call.method !== 'HEAD') wrong.push(...judgeFault(call, pathname, status, headers, text));
  if (status >= 300 && status < 400 && status !== 304 && isApi) wrong.push(`leads elsewhere: ${status}`);
  if (status < 300 && isApi && text !== '') wrong.push(...judgeSuccess(headers.get('content-type') ?? '', text));
  const asked = `${call.method} ${call.path} ${status}`;
  return wrong.map((one) => `${asked}: ${one}: ${text.slice(0, 300)}`);
}

function judgeFault(
  { headers: sent }: FuzzCall,
  pathname: string,
  status: number,
  headers: Headers,
  text: string,
): string[] {
  if (!headers.get('content-type')?.startsWith('application/json')) return ['is no JSON'];
  const body = parse(text);
  if (pathname === '/mcp' && isProtocolError(body)) return [];
  const isBelow = (base: string) => pathname === base || pathname.startsWith(`${base}/`);
  const isGoogle = isBelow('/v1beta') || isBelow('/upload/v1beta') || GEMINI_METHOD.test(pathname);
  const isRerank = isBelow('/v1/rerank') || isBelow('/v2/rerank');
  const names = Object.keys(body ?? {})
    .toSorted()
    .join();
  const wrong: string[] = [];
  const { error = {} } = body ?? {};
  const isUnknown = faultCode({ error }) === 'route_not_found' && !isRerank;
  const hasVersion = Object.hasOwn(sent, 'anthropic-version');
  const isAnthropic = isBelow('/v1/messages') || (hasVersion && (isBelow('/v1/models') || isUnknown));
  const expected = isAnthropic && !isGoogle ? 'error,request_id,type' : isRerank ? 'error,message' : 'error';
  if (names !== expected) wrong.push(`is in another envelope: ${names}`);
  if ((error.code === status) !== isGoogle) wrong.push('is in another envelope');
  const code = faultCode({ error });
  for (const told of [code, error.message, isGoogle ? error.status : error.type])
    if (typeof told !== 'string' || told === '') wrong.push('lacks a word');
  if (status === 500 || code === 'internal_error') wrong.push('is our own error');
  const isExplained = EXPLAINED.includes(code ?? '') && RELAYED.some((path) => path.test(pathname));
  if (status > 500 && !isExplained) wrong.push('is not explained');
  return wrong;
}

/** Of JSON-RPC, which names its errors by numbers. */
function isProtocolError(body: Answer): boolean {
  const { code, message } = body?.error ?? {};
  return body?.jsonrpc === '2.0' && typeof code === 'number' && code !== INTERNAL_ERROR && typeof message === 'string';
}

function judgeSuccess(type: string, text: string): string[] {
  if (type.startsWith('application/json')) return parse(text) === undefined ? ['is no JSON'] : [];
  if (type.startsWith('text/csv') || type.startsWith('audio/')) return [];
  if (!type.startsWith('text/event-stream')) return [`has the type ${type}`];
  const data = text
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trim());
  const broken = data.filter((one) => one !== '[DONE]' && parse(one) === undefined);
  return broken.map((one) => `has an event that is no JSON: ${one.slice(0, 100)}`);
}

function parse(text: string): Answer {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
