// A command of the operator's: what it is called, what it takes, and what it does. It returns facts and a text of them;
// the command line prints one or the other.

import { ACTORS } from '../../store/rows.ts';
import type { OperatingTools } from '../actions/tools.ts';

export interface Invocation {
  /** What follows the command's own words. */
  args: readonly string[];
  options: Readonly<Record<string, string | undefined>>;
  /** Opens the store when the command needs it; the command line closes it. */
  open(): Promise<OperatingTools>;
  /** The catalog file that the server reads at its start. */
  configFile: string | undefined;
  /** A variable of the server's environment, as `env:NAME` in a catalog file means it. */
  variable(name: string): string | undefined;
  /** False only where the embedded database was not made yet. */
  hasDatabase(): boolean;
  /** The embedded database's file, in a folder that is there; undefined on PostgreSQL. */
  databaseFile(): string | undefined;
  /** Where the database is, for people. */
  databasePlace: string;
  /** Of the pepper that a server would have here; undefined if there is none yet. */
  pepperFingerprint(): string | undefined;
  /** What a person types to start the server of this program. */
  serveLine: string;
  /** The public port of these settings, as this machine reaches it. */
  serverUrl: string;
  /** The server there. */
  ask(path: string): Promise<Response>;
}

export interface Printed {
  facts: unknown;
  text: string;
  /** What a person should look at twice, for stderr; programs find it among the facts. */
  warnings?: readonly string[];
  /** What a person should know beside it, for stderr. */
  note?: string;
  /** There if both hold what can never be shown again. */
  secret?: {
    /** What was made, and what to do if nobody could read it. */
    ifLost: string;
    facts: Readonly<Record<string, unknown>>;
  };
}

export interface Command {
  words: string;
  /** Arguments and options as the help shows them. */
  takes: string;
  about: string;
  options: readonly string[];
  /** Options without a value: given, they stand among the options as an empty text. */
  flags?: readonly string[];
  /** It works before the first start, too; every other command would act on an empty database that no server has. */
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
    /** What was done all the same, for people; programs find it among the facts. */
    readonly done?: string,
  ) {
    super(message);
  }
}

/** Who acts here, as the log of actions says. */
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
