// Logs are JSON lines of allow-listed fields. Other fields cannot be written, and no listed field takes free text from
// outside: so prompts and replies never reach a log.

import type { Clock } from './clock.ts';

type Level = 'debug' | 'info' | 'warn' | 'error' | 'alarm';

/** The fields in the order of a line, each with the type of its value. */
const FIELDS = {
  /** The severity of an alarm. */
  severity: String,
  request_id: String,
  /** The client's trace id: 32 hexadecimal digits. */
  trace_id: String,
  account_id: String,
  key_id: String,
  node_id: String,
  model: String,
  channel: String,
  /** Names of channels. */
  channels: String,
  endpoint: String,
  outcome: String,
  /** Names of channels, each with the outcome of its attempt. */
  tries: String,
  translated: Boolean,
  code: String,
  status: Number,
  ms: Number,
  count: Number,
  revision: Number,
  cost_nano: String,
  /** The cost that an upstream reported, in its own currency: a number. */
  upstream_cost: String,
  url: String,
  file: String,
  /** Our own text; see `describeError` for what may come from an exception. */
  detail: String,
};
export type LogFields = { [Name in keyof typeof FIELDS]?: ReturnType<(typeof FIELDS)[Name]> | undefined };

const NAMES = Object.keys(FIELDS) as (keyof LogFields)[];
const MAX_TEXT = 500;

export type Log = (level: Level, event: string, fields?: LogFields) => void;

export function createLog(clock: Clock, write: (line: string) => void): Log {
  return (level, event, fields = {}) => {
    const line: Record<string, string | number | boolean> = { at: new Date(clock.now()).toISOString(), level, event };
    for (const name of NAMES) {
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
