// The faults of providers that the bench plays, and what a client must get for each.

import { jsonScript } from '../support/openai-chat.ts';
import { cutAt, type Script } from '../support/script.ts';
import type { Cell, Outcome } from './cells.ts';
import {
  answer,
  cut,
  emptyBody,
  FIRST,
  html,
  jsonError,
  malformed,
  otherForm,
  refusal,
  type Stage,
  silence,
  toldError,
  withoutEnd,
} from './upstream-scripts.ts';

export interface ProviderFault {
  name: string;
  zhTw: string;
  /** What the first route's upstream says; undefined: the answer. */
  play(stage: Stage): Script | undefined;
  expect(cell: Cell): Outcome;
  /** The whole channel has the fault, so a fallback on it has, too. */
  isOfChannel?: true;
  /** Nothing can be reached at the channel's address. */
  address?: 'refused' | 'unresolved';
  /** The other route gives the first one's answer again. */
  repeatsAnswer?: true;
  /** The routes take a begun answer as the assistant's last message. */
  prefill?: true;
  /** Calls one after the other; 1 unless it says so. The last is the one that counts in the table. */
  calls?: number;
  /** The provider reports no usage that could be charged. */
  isCounted?: true;
}

const always = (outcome: Outcome) => () => outcome;
const byForm = (stream: Outcome, whole: Outcome) => (cell: Cell) => (cell.form === 'stream' ? stream : whole);
const other = always('other');
const continued = byForm('continued', 'other');
const UPSTREAM_FAILED = { status: 502, code: 'upstream_failed' };
/** The fallback stands on the channel that is away. */
const unlessChannelIsGone = ({ setup }: Cell) => (setup === 'same_channel' ? UPSTREAM_FAILED : 'other');

const RESET_BEFORE: Script = { cut: { after: 'head', by: 'rst' } };
const CLOSED_BEFORE: Script = { cut: { after: 'head', by: 'fin' } };
const KEY_REFUSED = jsonScript(403, {
  type: 'error',
  error: { type: 'permission_error', message: 'Your API key does not have permission to use this model.' },
});
const NO_CREDIT = jsonScript(429, { error: { code: 'insufficient_quota', message: 'You exceeded your quota.' } });
const ELSEWHERE = { location: '/elsewhere' };

export const FAULTS: readonly ProviderFault[] = [
  {
    name: '429 once, `retry-after` 4 s',
    zhTw: '429 一次，`retry-after` 4 秒',
    play: (stage) => (stage.nth === 0 ? refusal(stage, 429, { 'retry-after': '4' }) : undefined),
    expect: always('first'),
  },
  {
    name: '429 every time, `retry-after` 4 s',
    zhTw: '429 持續，`retry-after` 4 秒',
    play: (stage) => refusal(stage, 429, { 'retry-after': '4' }),
    expect: other,
  },
  {
    name: '429 every time, `retry-after` 60 s',
    zhTw: '429 持續，`retry-after` 60 秒',
    play: (stage) => refusal(stage, 429, { 'retry-after': '60' }),
    expect: other,
  },
  {
    name: '429 without `retry-after`',
    zhTw: '429，沒有 `retry-after`',
    play: (stage) => refusal(stage, 429),
    expect: other,
  },
  {
    name: '429 `insufficient_quota`, our credit is used up',
    zhTw: '429 `insufficient_quota`，我們的額度已用完',
    play: () => NO_CREDIT,
    isOfChannel: true,
    expect: unlessChannelIsGone,
  },
  {
    name: '500 once',
    zhTw: '500 一次',
    play: (stage) => (stage.nth === 0 ? refusal(stage, 500) : undefined),
    expect: always('first'),
  },
  { name: '500 every time', zhTw: '500 持續', play: (stage) => refusal(stage, 500), expect: other },
  { name: '502 with an HTML page', zhTw: '502，內容是 HTML 網頁', play: () => html(502), expect: other },
  { name: '503', zhTw: '503', play: (stage) => refusal(stage, 503), expect: other },
  { name: '529 overloaded', zhTw: '529 過載', play: (stage) => refusal(stage, 529), expect: other },
  {
    name: '401, our key is refused',
    zhTw: '401，我們的金鑰被拒絕',
    play: (stage) => refusal(stage, 401),
    isOfChannel: true,
    expect: unlessChannelIsGone,
  },
  {
    name: '403, our key may not use the model',
    zhTw: '403，我們的金鑰不能使用這個模型',
    play: () => KEY_REFUSED,
    expect: other,
  },
  {
    name: '404, the model does not exist',
    zhTw: '404，模型不存在',
    play: (stage) => refusal(stage, 404),
    expect: other,
  },
  {
    name: 'connection refused',
    zhTw: '連線被拒絕',
    play: () => undefined,
    address: 'refused',
    isOfChannel: true,
    expect: unlessChannelIsGone,
  },
  {
    name: 'the host name does not resolve',
    zhTw: '主機名稱無法解析',
    play: () => undefined,
    address: 'unresolved',
    isOfChannel: true,
    expect: unlessChannelIsGone,
  },
  { name: 'reset before the first byte', zhTw: '第一個位元組之前連線被重設', play: () => RESET_BEFORE, expect: other },
  { name: 'closed before the first byte', zhTw: '第一個位元組之前連線關閉', play: () => CLOSED_BEFORE, expect: other },
  {
    name: 'half-closed after the headers',
    zhTw: '標頭之後半關閉',
    play: (stage) => cutAt(answer(stage), 0, 'fin'),
    expect: other,
  },
  {
    name: 'silence before the headers',
    zhTw: '標頭之前沒有回應',
    play: (stage) => silence(stage, 'head'),
    expect: other,
  },
  {
    name: 'silence after the headers',
    zhTw: '標頭之後沒有回應',
    play: (stage) => silence(stage, 'start'),
    expect: other,
  },
  {
    name: 'first token after 20 s',
    zhTw: '20 秒後才有第一個 Token',
    play: (stage) => silence(stage, 'head', 20_000),
    expect: always('served'),
  },
  {
    name: 'first token after 90 s',
    zhTw: '90 秒後才有第一個 Token',
    play: (stage) => silence(stage, 'head', 90_000),
    expect: always('served'),
  },
  {
    name: 'closed before any output',
    zhTw: '尚無輸出時連線關閉',
    play: (stage) => cut(stage, 'start', 'fin'),
    expect: other,
  },
  {
    name: 'silence in the middle, the next run repeats it',
    zhTw: '中途沒有回應，下一次執行內容相同',
    play: (stage) => silence(stage, 'middle'),
    repeatsAnswer: true,
    expect: continued,
  },
  {
    name: 'reset in the middle, the next run repeats it',
    zhTw: '中途連線被重設，下一次執行內容相同',
    play: (stage) => cut(stage, 'middle', 'rst'),
    repeatsAnswer: true,
    expect: continued,
  },
  {
    name: 'closed in the middle, the next run repeats it',
    zhTw: '中途連線關閉，下一次執行內容相同',
    play: (stage) => cut(stage, 'middle', 'fin'),
    repeatsAnswer: true,
    expect: continued,
  },
  {
    name: 'closed in the middle, the next run differs',
    zhTw: '中途連線關閉，下一次執行內容不同',
    play: (stage) => cut(stage, 'middle', 'fin'),
    expect: byForm('broken', 'other'),
  },
  {
    name: 'closed in the middle, then the prefill is refused',
    zhTw: '中途連線關閉，之後拒絕預填（prefill）',
    play: (stage) => cut(stage, 'middle', 'fin'),
    prefill: true,
    repeatsAnswer: true,
    expect: continued,
  },
  {
    name: 'malformed event or JSON, the next run repeats it',
    zhTw: '事件或 JSON 格式錯誤，下一次執行內容相同',
    play: malformed,
    repeatsAnswer: true,
    expect: continued,
  },
  {
    name: 'the end is missing (`[DONE]`, `message_stop`, `response.completed`, `finishReason`, `}`), the next run repeats it',
    zhTw: '缺少結尾（`[DONE]`、`message_stop`、`response.completed`、`finishReason`、`}`），下一次執行內容相同',
    play: withoutEnd,
    repeatsAnswer: true,
    // In chat and messages the reason for the end stands before the mark; elsewhere it is in the last event.
    expect: ({ form, client }) => (form === 'whole' ? 'other' : client.hasEndMark ? 'first' : 'continued'),
  },
  { name: 'HTML with 200', zhTw: '200，內容是 HTML', play: () => html(200), expect: other },
  { name: 'an empty body with 200', zhTw: '200，內容是空的', play: emptyBody, expect: other },
  { name: 'a JSON error with 200', zhTw: '200，內容是 JSON 錯誤', play: jsonError, expect: other },
  {
    name: 'an error event before any output',
    zhTw: '尚無輸出時的錯誤事件',
    play: (stage) => toldError(stage, 'start'),
    expect: other,
  },
  {
    name: 'an error event after output, the next run repeats it',
    zhTw: '輸出後的錯誤事件，下一次執行內容相同',
    play: (stage) => toldError(stage, 'middle'),
    repeatsAnswer: true,
    expect: continued,
  },
  {
    name: 'JSON instead of a stream, and the reverse',
    zhTw: '要求串流卻得到 JSON，或相反',
    play: otherForm,
    expect: always('served'),
  },
  {
    name: 'the prompt is too long',
    zhTw: '提示太長',
    play: ({ cell }) => cell.client.refusal(400, 'too_long'),
    expect: ({ setup }) => (setup === 'second_route' ? { status: 400, code: 'context_length_exceeded' } : 'other'),
  },
  {
    name: 'the content filter refuses the request',
    zhTw: '內容過濾拒絕請求',
    play: ({ cell }) => cell.client.refusal(400, 'content'),
    expect: always({ status: 400, code: 'content_rejected' }),
  },
  {
    name: '400, invalid request',
    zhTw: '400，請求無效',
    play: (stage) => refusal(stage, 400),
    expect: always({ status: 400, code: 'invalid_request' }),
  },
  {
    name: 'every second request fails (500)',
    zhTw: '每隔一個請求失敗（500）',
    play: (stage) => (stage.nth % 2 === 0 ? refusal(stage, 500) : undefined),
    calls: 2,
    expect: always('first'),
  },
  {
    name: 'fails for one call; the next call',
    zhTw: '一次呼叫失敗；下一次呼叫',
    play: (stage) => (stage.nth < 2 ? refusal(stage, 500) : undefined),
    calls: 2,
    expect: always('first'),
  },
  {
    name: 'usage of zeros',
    zhTw: '用量為零',
    play: (stage) => answer(stage, { ...FIRST, tokens: { input: 0, output: 0 } }),
    isCounted: true,
    expect: always('first'),
  },
  {
    name: 'impossible usage',
    zhTw: '用量不合理',
    play: (stage) => answer(stage, { ...FIRST, tokens: { input: -5, output: 1.5 } }),
    isCounted: true,
    expect: always('first'),
  },
  {
    name: '307 to another address',
    zhTw: '307 轉向其他位址',
    play: () => ({ status: 307, headers: ELSEWHERE, body: [] }),
    expect: other,
  },
  {
    name: 'an answer without any content',
    zhTw: '沒有任何內容的回答',
    play: (stage) => answer(stage, { pieces: [], tokens: { input: 11, output: 0 } }),
    expect: always('empty'),
  },
];
