// The arguments of `npm run simulate`. What makes no sense is refused in one line, before anything runs.

import { parseArgs } from 'node:util';
import { messageOf } from '../src/kit/error-code.ts';
import { MUTATIONS, type Mutation } from '../test/simulation/mutations.ts';
import { type Plan, readPlan } from '../test/simulation/plan.ts';
import { findMutation } from '../test/simulation/plant.ts';

export type Command =
  | { do: 'mutations'; isRecorded: boolean }
  | { do: 'replay'; plan: Plan; mutation: Mutation | undefined }
  | {
      do: 'run';
      /** Undefined: as many seeds as fit into the seconds. */
      seed: number | undefined;
      from: number;
      seconds: number;
      minutes: number;
      mutation: Mutation | undefined;
      isRecorded: boolean;
      /** The file of the smallest failing run. */
      out: string | undefined;
    };

export class WrongArguments extends Error {
  override name = 'WrongArguments';
}

const MOST_MINUTES = 24 * 60;

const OPTIONS = {
  seed: { type: 'string' },
  from: { type: 'string' },
  seconds: { type: 'string' },
  minutes: { type: 'string' },
  mutate: { type: 'string' },
  mutations: { type: 'boolean' },
  replay: { type: 'string' },
  out: { type: 'string' },
  record: { type: 'boolean' },
} as const;

export function readArguments(args: readonly string[]): Command {
  const values = parse(args);
  const given = Object.keys(values);
  const alone = (name: keyof typeof OPTIONS, others: readonly string[] = []) => {
    const wrong = given.find((other) => other !== name && !others.includes(other));
    if (wrong !== undefined) throw new WrongArguments(`--${wrong} cannot be combined with --${name}.`);
  };
  const isRecorded = values.record === true;
  if (values.mutations) {
    alone('mutations', ['record']);
    return { do: 'mutations', isRecorded };
  }
  if (values.replay !== undefined) {
    alone('replay');
    const plan = planIn(values.replay);
    return { do: 'replay', plan, mutation: plan.mutation === undefined ? undefined : mutationOf(plan.mutation) };
  }
  if (values.seed !== undefined) alone('seed', ['minutes', 'mutate', 'out']);
  if (values.mutate !== undefined) alone('mutate', ['seed', 'from', 'seconds', 'minutes', 'out']);
  return {
    do: 'run',
    seed: values.seed === undefined ? undefined : wholeNumber('seed', values.seed),
    from: wholeNumber('from', values.from ?? '1'),
    seconds: positive('seconds', values.seconds ?? '60'),
    minutes: positive('minutes', values.minutes ?? '5', MOST_MINUTES),
    mutation: values.mutate === undefined ? undefined : mutationOf(values.mutate),
    isRecorded,
    out: values.out,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (error) {
    const [first = ''] = messageOf(error).split('\n');
    throw new WrongArguments(first);
  }
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new WrongArguments(`--${name} must be a whole number from 0, not "${text}".`);
}

function positive(name: string, text: string, most = Number.MAX_SAFE_INTEGER): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value > 0 && value <= most) return value;
  const range = most < Number.MAX_SAFE_INTEGER ? `above 0 and at most ${most}` : 'above 0';
  throw new WrongArguments(`--${name} must be a number ${range}, not "${text}".`);
}

function mutationOf(name: string): Mutation {
  const mutation = findMutation(name);
  if (!mutation) {
    const names = MUTATIONS.map((other) => other.name).join('; ');
    throw new WrongArguments(`There is no planted bug "${name}". There are: ${names}.`);
  }
  return mutation;
}

function planIn(file: string): Plan {
  try {
    return readPlan(file);
  } catch (error) {
    throw new WrongArguments(`--replay must be a file that --out has written: ${messageOf(error)}`);
  }
}
