// Logs are JSON lines of allow-listed fields. Other fields cannot be written, and no listed field takes free text from
// outside: so prompts and replies never reach a log.

import type { Clock } from './clock.ts';

type Level = 'debug' | 'info' | 'warn' | 'error' | 'alarm';

export interface LogFields {
  /** The severity of an alarm. */
  severity?: string | undefined;
  request_id?: string | undefined;
  /** The client's trace id: 32 hexadecimal digits. */
  trace_id?: string | undefined;
  account_id?: string | undefined;
  key_id?: string | undefined;
  node_id?: string | undefined;
  model?: string | undefined;
  channel?: string | undefined;
  /** Names of channels. */
  channels?: string | undefined;
  endpoint?: string | undefined;
  outcome?: string | undefined;
  /** Names of channels, each with the outcome of its attempt. */
  tries?: string | undefined;
  translated?: true | undefined;
  code?: string | undefined;
  status?: number | undefined;
  ms?: number | undefined;
  count?: number | undefined;
  revision?: number | undefined;
  cost_nano?: string | undefined;
  /** The cost that an upstream reported, in its own currency: a number. */
  upstream_cost?: string | undefined;
  url?: string | undefined;
  file?: string | undefined;
  /** Our own text; see `describeError` for what may come from an exception. */
  detail?: string | undefined;
}

const FIELDS: readonly (keyof LogFields)[] = [
  'severity',
  'request_id',
  'trace_id',
  'account_id',
  'key_id',
  'node_id',
  'model',
  'channel',
  'channels',
  'endpoint',
  'outcome',
  'tries',
  'translated',
  'code',
  'status',
  'ms',
  'count',
  'revision',
  'cost_nano',
  'upstream_cost',
  'url',
  'file',
  'detail',
];
const MAX_TEXT = 500;

export type Log = (level: Level, event: string, fields?: LogFields) => void;

export function createLog(clock: Clock, write: (line: string) => void): Log {
  return (level, event, fields = {}) => {
    const line: Record<string, string | number | boolean> = { at: new Date(clock.now()).toISOString(), level, event };
    for (const name of FIELDS) {
      const value = fields[name];
      if (value === undefined) continue;
      line[name] = typeof value === 'string' ? value.slice(0, MAX_TEXT) : value;
    }
    write(`${JSON.stringify(line).replace(UNESCAPED_CONTROLS, escapeControl)}\n`);
  };
}

/** JSON does not escape these, but terminals and line readers interpret them. */
const UNESCAPED_CONTROLS = /[\u007f-\u009f\u2028\u2029]/g;

function escapeControl(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * Our own exceptions, such as faults, provide a text for the log; of others only the type and the stack are logged,
 * because messages of parsers and drivers quote their input.
 */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  if ('forLog' in error && typeof error.forLog === 'string') return error.forLog;
  const { stack = '', message } = error;
  // The stack begins with the message, which may itself look like frames.
  const head = stack.indexOf(message);
  const frames = (head < 0 ? '' : stack.slice(head + message.length))
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 4)
    .map((line) => line.trim().replace(/\(?(?:file:\/\/)?\/[^\s:]*\/(src|node_modules)\//, '($1/'));
  return [error.name, ...frames].join(' < ');
}
