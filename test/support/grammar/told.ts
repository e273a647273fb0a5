// What a client was told, in no dialect: the readers of this folder make it of streams and of whole answers, and throw on
// whatever the dialect does not allow. They share no line with the gateway.

import type { Answer } from '../answer.ts';

export interface ToldCall {
  id: string;
  name: string;
  /** The JSON text, or the free text of a custom tool. */
  arguments: string;
}

export type Ending = 'end' | 'length' | 'tool' | 'filter';

export interface Told {
  text: string;
  reasoning: string;
  refusal: string;
  calls: ToldCall[];
  /** Undefined if the answer did not end. */
  ends: Ending | undefined;
  usage: Answer;
  /** Each name once, in the order they were seen. */
  models: string[];
  /** The stream ended as its dialect wants it. */
  complete: boolean;
  error: Answer;
}

export class Ungrammatical extends Error {
  override name = 'Ungrammatical';
}

export function must(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Ungrammatical(what);
}

export function createTold(): Told {
  return {
    text: '',
    reasoning: '',
    refusal: '',
    calls: [],
    ends: undefined,
    usage: undefined,
    models: [],
    complete: false,
    error: undefined,
  };
}

export function noteModel({ models }: Told, model: unknown): void {
  must(typeof model === 'string' && model !== '', `no model: ${model}`);
  if (models.at(-1) !== model) models.push(model);
}

/** No member but these: clients with closed types choke on others. */
export function mustHaveOnly(value: Answer, names: readonly string[], where: string): void {
  for (const name of Object.keys(value)) must(names.includes(name), `${where} has ${name}`);
}
