// A command: its words, arguments and action. It returns facts and a text; the command line prints one of them.

import { ACTORS } from '../../store/rows.ts';
import type { OperatingRefused } from '../actions/refused.ts';
import type { OperatingTools } from '../actions/tools.ts';

export interface Invocation {
  /** Arguments after the command's words. */
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
  /** Arguments and options in the help. */
  takes: string;
  about: string;
  options: readonly string[];
  /** Options without a value: if given, their value is an empty text. */
  flags?: readonly string[];
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

export function oneArgument(args: readonly string[], what: string): string {
  const [value, ...rest] = args;
  if (value === undefined || rest.length > 0) throw new WrongUsage(`exactly one ${what} is needed`);
  return value;
}

export function noArguments(args: readonly string[]): void {
  if (args.length > 0) throw new WrongUsage(`unexpected: ${args.join(' ')}`);
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
