// A target: a process that accepts chat requests on its own port and calls the scripted upstream.

import { freePort } from '../../test/support/free-port.ts';
import type { ScriptName } from './answers.ts';
import { familyOf } from './processes.ts';
import type { Process, Stage } from './stage.ts';

export interface Running {
  port: number;
  /** From the start of the process to the first successful answer; 0 if it was not started. */
  readyMs: number;
  /** Process ids by group: `own` is the target itself, `all` includes its helpers. */
  watch(): Record<'own' | 'all', number[]>;
  stop(): Promise<void>;
}

export interface Target {
  /** Also its path prefix at the upstream. */
  name: string;
  label: string;
  /** A description with its version. */
  description: string;
  /** Starts a fresh process. */
  start(): Promise<Running>;
  path: string;
  headers: Readonly<Record<string, string>>;
  /** One per account. */
  keys: readonly string[];
  /** The model id that selects a script. */
  modelOf(script: ScriptName): string;
  /** Whether it passes Anthropic's format on. */
  takesMessages?: boolean;
  /** Whether it writes answers anew and may call the upstream on its own: then only their ends are compared. */
  rewrites?: boolean;
  /** Only for our own gateway. */
  billing?: Billing;
}

export interface Billing {
  /** For all requests so far, from the ledger entries. */
  charged(): Promise<{ entries: number; nano: bigint }>;
}

/** A program that cannot be measured here, with the reason. */
export class Missing {
  constructor(
    readonly label: string,
    readonly why: string,
  ) {}
}

/** A gateway in Python needs long to start on a busy machine. */
const READY_WITHIN_MS = 120_000;
const POLL_MS = 2;

export interface Program {
  name: string;
  command(port: number): readonly string[];
  env?(port: number): Readonly<Record<string, string>>;
  /** A path that returns 2xx as soon as it serves. */
  readyPath: string;
  /** Helper processes that are not its children. */
  others?(): number[];
}

export async function startProgram(stage: Stage, program: Program): Promise<Running> {
  const port = await freePort();
  const startedAt = performance.now();
  const process_ = stage.start(program.name, program.command(port), program.env?.(port));
  const readyMs = await whenReady(stage, program, process_, port, startedAt);
  return {
    port,
    readyMs,
    watch() {
      const own = familyOf(process_.pid);
      return { own, all: [...own, ...(program.others?.() ?? [])] };
    },
    stop: process_.stop,
  };
}

async function whenReady(
  stage: Stage,
  { name, readyPath }: Program,
  process_: Process,
  port: number,
  startedAt: number,
): Promise<number> {
  while (performance.now() - startedAt < READY_WITHIN_MS && !process_.isGone()) {
    if (await answers(`http://127.0.0.1:${port}${readyPath}`)) return performance.now() - startedAt;
    await Bun.sleep(POLL_MS);
  }
  throw new Error(`${name} does not serve:\n${await stage.logOf(name)}`);
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { headers: { connection: 'close' } });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
