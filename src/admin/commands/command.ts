// A command: its words, arguments and action. It returns facts and a text; the command line prints one of them.

import { ACTORS } from '../../store/rows.ts';
import type { OperatingRefused } from '../actions/refused.ts';
import type { OperatingTools } from '../actions/tools.ts';

export interface Invocation {
  /** Arguments after the command's words, as many as it takes. */
  args: readonly string[];
  options: Readonly<Record<string, string | undefined>>;
  /** Opens the store on demand; the command line closes it. */
  open(): Promise<OperatingTools>;
  /** The server's catalog file. */
  configFile: string | undefined;
  /** An environment variable, for `env:NAME` in a catalog file. */
  variable(name: string): string | undefined;
  /** False only before the embedded database is created. */
  hasDatabase(): boolean;
  /** The embedded database's file, in an existing folder; undefined on PostgreSQL. */
  databaseFile(): string | undefined;
  /** The location of the database, for messages. */
  databasePlace: string;
  /** Fingerprint of the pepper that a server would use here; undefined if there is none yet. */
  pepperFingerprint(): string | undefined;
  /** The shell command that starts the server. */
  serveLine: string;
  /** The URL of the public port from this machine. */
  serverUrl: string;
  /** Sends a request to that server. */
  ask(path: string): Promise<Response>;
}

export interface Printed {
  facts: unknown;
  text: string;
  /** Warnings for stderr; programs find them in the facts. */
  warnings?: readonly string[];
  /** A note for stderr. */
  note?: string;
  /** Set if the output contains something that is never shown again. */
  secret?: {
    /** The created things, and the remedy if the output was lost. */
    ifLost: string;
    facts: Readonly<Record<string, unknown>>;
  };
}

export interface Command {
  words: string;
  /** Arguments and options as in the help, from which they are also read; a flag that is given has an empty text as value. */
  takes: string;
  about: string;
  /** Also works before the first start; any other command would act on an empty database that no server uses. */
  makesDatabase?: boolean;
  run(invocation: Invocation): Promise<Printed>;
}

export class WrongUsage extends Error {
  override name = 'WrongUsage';
}

export class CommandRefused extends Error {
  override name = 'CommandRefused';
  constructor(
    message: string,
    readonly facts: Readonly<Record<string, unknown>> = {},
    /** Changes made in spite of the refusal, as text; programs read them from the facts. */
    readonly done?: string,
  ) {
    super(message);
  }
}

/** The actor in the action log. */
export const ACTOR = ACTORS.commandLine;

/** The options of a command, and its flags, which have no value: `--name TEXT` and `--name`. */
export function optionsOf({ takes }: Pick<Command, 'takes'>): { options: string[]; flags: string[] } {
  const found = [...takes.matchAll(/--([a-z-]+)( \w)?/g)];
  const named = (hasValue: boolean) =>
    found.flatMap(([, name = '', value]) => ((value !== undefined) === hasValue ? [name] : []));
  return { options: named(true), flags: named(false) };
}

/** `ID` is one argument, `SERIAL…` are at least one; without a first word in capitals there is none. */
export function checkArguments({ takes }: Pick<Command, 'takes'>, args: readonly string[]): void {
  const [, what, more] = /^([A-Z]+)(…)?/.exec(takes) ?? [];
  if (what === undefined && args.length > 0) throw new WrongUsage(`unexpected: ${args.join(' ')}`);
  if (more !== undefined && args.length === 0) throw new WrongUsage(`at least one ${what} is needed`);
  const isOne = what !== undefined && more === undefined;
  if (isOne && args.length !== 1) throw new WrongUsage(`exactly one ${what} is needed`);
}

export function requiredOption(options: Invocation['options'], name: string): string {
  const value = options[name];
  if (value === undefined) throw new WrongUsage(`--${name} is needed`);
  return value;
}

/** An invalid field of an action is an option here. */
export function optionRefusal({ message, facts: { field } }: OperatingRefused): string {
  if (field === undefined) return message;
  return `--${field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} ${message}`;
}
