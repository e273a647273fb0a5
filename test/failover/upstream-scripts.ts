// What the upstreams of the failover bench say.

import { sleep } from '../../src/kit/clock.ts';
import { jsonScript } from '../support/openai-chat.ts';
import { bodyLength, type Part, type Script } from '../support/script.ts';
import type { Tokens } from '../support/wire-clients.ts';
import type { BenchClock } from './bench-clock.ts';
import type { Cell } from './cells.ts';

/** What the two routes say and report: a mixture of both would show. */
export const FIRST = { pieces: ['One', ' two', ' 三', ' four', ' five', ' six.'], tokens: { input: 11, output: 7 } };
export const OTHER = { pieces: ['Another', ' answer', ' altogether.'], tokens: { input: 13, output: 5 } };

/** Before the middle. */
const LAST_WORD = '三';
const NEVER = new Promise<never>(() => {});
const HTML = { 'content-type': 'text/html' };
const JSON_TYPE = { 'content-type': 'application/json' };

/** An upstream that plays for one cell. */
export interface Stage {
  cell: Cell;
  clock: BenchClock;
  /** How many requests of the cell it had before this one. */
  nth: number;
  /** From here on it says nothing until time has passed; `heard`: when the client has this. */
  waits(heard?: string): void;
}

export function answer(
  { cell }: Stage,
  { pieces, tokens }: { pieces?: string[]; tokens?: Tokens | null } = FIRST,
): Script {
  const saying = { ...(pieces ? { pieces } : {}), ...(tokens === undefined ? {} : { tokens }) };
  return cell.form === 'stream' ? cell.client.stream(saying) : cell.client.whole(saying);
}

export function refusal({ cell }: Stage, status: number, headers?: Record<string, string>): Script {
  return cell.client.refusal(status, 'other', headers);
}

export const html = (status: number): Script => ({ status, headers: HTML, body: ['<html>Bad gateway</html>'] });

export function emptyBody({ cell }: Stage): Script {
  const type = cell.form === 'stream' ? 'text/event-stream' : 'application/json';
  return { headers: { 'content-type': type }, body: [] };
}

/** As the answer's first part, or after half of its words. */
export type Place = 'start' | 'middle';

/** How many parts of an answer come before the place. A whole answer is one part, and is cut inside. */
function partsUntil(stage: Stage, place: Place, script: Script): readonly Part[] {
  const parts = script.body ?? [];
  if (stage.cell.form === 'whole') return place === 'start' ? [] : [String(parts[0]).slice(0, 40)];
  if (place === 'start') return parts.slice(0, 1);
  const at = parts.findIndex((part) => String(part).includes(LAST_WORD));
  return parts.slice(0, at + 1);
}

export function cut(stage: Stage, place: Place, by: 'fin' | 'rst'): Script {
  const script = answer(stage);
  const after = bodyLength({ body: partsUntil(stage, place, script) });
  // What is not read yet when the connection ends is lost.
  return { ...script, cut: { after, by, pauseMs: 20 } };
}

/** The connection stays open, and nothing comes for `ms`, or ever. */
export function silence(stage: Stage, place: Place | 'head', ms?: number): Script {
  const script = answer(stage);
  if (place === 'head') {
    stage.waits();
    if (ms === undefined) return { ...script, cut: { after: 'head', by: 'stall' } };
  }
  const begun = place === 'head' ? [] : partsUntil(stage, place, script);
  const heard = place === 'middle' && stage.cell.form === 'stream' ? LAST_WORD : '';
  const rest = (script.body ?? []).slice(begun.length);
  return { ...script, framing: 'chunked', body: begun, rest: afterSilence(stage, heard, ms, rest) };
}

/** The parts are asked for one after the other, when those before have left. */
function* afterSilence(stage: Stage, heard: string, ms: number | undefined, rest: readonly Part[]): Generator<Part> {
  stage.waits(heard);
  yield ms === undefined ? NEVER : sleep(stage.clock, ms);
  yield* rest;
}

export function malformed(stage: Stage): Script {
  const script = answer(stage);
  if (stage.cell.form === 'whole') return { headers: JSON_TYPE, body: ['{"broken'] };
  const begun = partsUntil(stage, 'middle', script);
  return { ...script, body: [...begun, 'data: {"broken\n\n', ...(script.body ?? []).slice(begun.length)] };
}

/** The last event is missing, or the last brace. */
export function withoutEnd(stage: Stage): Script {
  const script = answer(stage);
  const parts = script.body ?? [];
  const body = stage.cell.form === 'stream' ? parts.slice(0, -1) : [String(parts[0]).slice(0, -1)];
  return { ...script, framing: 'close', body };
}

const ERROR = { type: 'server_error', message: 'The server had an error.' };

/** An error of the provider's, with status 200: as an event, or in place of the answer. */
export function toldError(stage: Stage, place: Place): Script {
  const { client, form } = stage.cell;
  const error =
    client.name === 'messages' ? { type: 'error', error: { ...ERROR, type: 'overloaded_error' } } : { error: ERROR };
  if (form === 'whole') return jsonScript(200, error);
  const script = answer(stage);
  const event = client.name === 'responses' ? { ...error.error, type: 'error' } : error;
  const isNamed = client.name === 'messages' || client.name === 'responses';
  const name = isNamed ? 'event: error\n' : '';
  return { ...script, body: [...partsUntil(stage, place, script), `${name}data: ${JSON.stringify(event)}\n\n`] };
}

export const jsonError = (): Script => jsonScript(200, { error: ERROR });

/** The answer in the form that was not asked for. */
export function otherForm({ cell: { client, form } }: Stage): Script {
  return form === 'stream' ? client.whole(FIRST) : client.stream(FIRST);
}
