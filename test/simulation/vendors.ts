// The vendors of the simulated world. What a model answers is a text that the prompt decides, so that an answer put
// together from several runs can be checked word by word; some prompts get another text with each run, as from a model
// that is not deterministic. Each vendor remembers what it worked for.

import type { Fetch } from '../../src/channels/upstream.ts';
import type { Dice } from './dice.ts';
import type { Machine } from './machine.ts';
import type { World } from './world.ts';

export const VENDORS = ['alpha', 'beta', 'gamma'] as const;
export type Vendor = (typeof VENDORS)[number];

/** What a vendor does wrong for a while. */
export const PROBLEMS = ['refuses', 'fails', 'overloaded', 'silent', 'cuts', 'garbage', 'slow', 'no usage'] as const;
export type Problem = (typeof PROBLEMS)[number];

export interface Run {
  vendor: Vendor;
  /** Tokens that it reports. */
  input: number;
  /** Words that it produced. */
  words: number;
  isWhole: boolean;
  /** Its end has reached the node. One that was frozen may have given up first, and cannot know what was produced meanwhile. */
  isHeard: boolean;
  /** It tells how much it used. */
  hasUsage: boolean;
}

interface Body {
  stream?: boolean;
  messages?: { role: string; content: string }[];
  /** Of a rerank call. */
  query?: string;
}

/** Fewer than the gateway estimates: where a vendor does not tell, the estimate is what is recorded. */
export const INPUT_TOKENS = 10;
/** Some report more than any hold pays for. */
const MUCH_INPUT = 5_000;
const encoder = new TextEncoder();

export class Vendors {
  readonly problem = new Map<Vendor, Problem>();
  /** By the prompt's number. */
  readonly runs = new Map<string, Run[]>();
  readonly #world: World;
  readonly #dice: Dice;

  /** Gets the number of each prompt when it is sent. */
  readonly #onCall: (number: string) => void;

  constructor(world: World, onCall: (number: string) => void) {
    this.#world = world;
    this.#onCall = onCall;
    this.#dice = world.diceFor('vendors');
  }

  fetchFrom(machine: Machine): Fetch {
    return (url, init) => {
      const { promise, resolve, reject } = Promise.withResolvers<Response>();
      const { signal } = init;
      const give = (act: () => void) => machine.enter(act);
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      const vendor = VENDORS.find((name) => url.includes(name)) ?? 'alpha';
      const problem = this.problem.get(vendor);
      const body = JSON.parse(String(init.body)) as Body;
      this.#onCall(numberOf(body));
      const delay = this.#dice.between(5, 200) * (problem === 'slow' ? 50 : 1);
      this.#world.after(delay, () => {
        if (signal?.aborted) return;
        if (problem === 'silent') return;
        if (problem === 'refuses') return give(() => reject(new Error('connection refused')));
        if (problem === 'fails' || problem === 'overloaded') {
          const status = problem === 'fails' ? this.#dice.pick([500, 502, 503]) : 429;
          const headers = problem === 'overloaded' ? { 'retry-after': '1' } : undefined;
          const error = { error: { message: 'try later', type: 'server_error' } };
          return give(() => resolve(Response.json(error, { status, ...(headers && { headers }) })));
        }
        if (problem === 'garbage') return give(() => resolve(new Response('<html>', { status: 200 })));
        const answer = this.#answer(machine, vendor, problem, body, signal ?? undefined);
        give(() => resolve(answer));
      });
      return promise;
    };
  }

  #answer(machine: Machine, vendor: Vendor, problem: Problem | undefined, body: Body, signal?: AbortSignal): Response {
    const prompt = promptOf(body);
    const number = numberOf(body);
    const runs = this.runs.get(number) ?? [];
    this.runs.set(number, runs);
    const hasUsage = problem !== 'no usage';
    const input = this.#dice.isLuck(0.05) ? MUCH_INPUT : INPUT_TOKENS;
    const run: Run = { vendor, input, words: 0, isWhole: false, isHeard: false, hasUsage };
    runs.push(run);
    if (body.query !== undefined) return this.#rank(machine, run, problem);
    const words = wordsOf(prompt, runs.length);
    const last = body.messages?.at(-1);
    const sent = last?.role === 'assistant' ? last.content.trim().split(' ').length : 0;
    const left = words.slice(sent);
    const usage = () => ({
      prompt_tokens: input,
      completion_tokens: run.words,
      total_tokens: input + run.words,
    });
    const head = { id: `chatcmpl-${number}-${runs.length}`, created: 1_790_000_000, model: 'simulated' };
    if (!body.stream) {
      run.words = left.length;
      run.isWhole = problem !== 'cuts';
      run.isHeard = run.isWhole;
      const message = { role: 'assistant', content: left.join('') };
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      const answer = { ...head, object: 'chat.completion', choices, ...(hasUsage && { usage: usage() }) };
      return run.isWhole ? Response.json(answer) : this.#cutOff(machine, encoder.encode(JSON.stringify(answer)));
    }
    const cutAt = problem === 'cuts' ? this.#dice.between(0, left.length) : Number.POSITIVE_INFINITY;
    const world = this.#world;
    const dice = this.#dice;
    const pause = problem === 'slow' ? 3_000 : 120;
    /** Its events arrive in pieces. */
    const isTorn = dice.isLuck(0.3);
    let isOver = false;
    signal?.addEventListener('abort', () => {
      isOver = true;
    });
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        const eventBytes = (rest: object) =>
          encoder.encode(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...rest })}\n\n`);
        const chunk = (rest: object) => {
          const bytes = eventBytes(rest);
          for (const part of isTorn ? dice.split(bytes) : [bytes]) controller.enqueue(part);
        };
        const step = () => {
          // It goes on working while the machine that reads stands still, and it cannot know that one has died.
          if (isOver) return;
          const word = left[run.words];
          if (run.words >= cutAt) {
            const delta = word === undefined ? {} : { content: word };
            const [part] = dice.split(eventBytes({ choices: [{ index: 0, delta, finish_reason: null }] }));
            return breakOff(machine, world, controller, part, () => isOver);
          }
          if (word !== undefined) {
            run.words++;
            machine.enter(() => {
              if (!isOver) chunk({ choices: [{ index: 0, delta: { content: word }, finish_reason: null }] });
            });
            world.after(dice.between(0, pause), step);
            return;
          }
          run.isWhole = true;
          machine.enter(() => {
            if (isOver) return;
            run.isHeard = true;
            chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
            if (hasUsage) chunk({ choices: [], usage: usage() });
            controller.enqueue(encoder.encode('data: [DONE]\n\n'));
            isOver = true;
            controller.close();
          });
        };
        world.after(dice.between(0, pause), step);
      },
      cancel() {
        isOver = true;
      },
    });
    return new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
  }

  #rank(machine: Machine, run: Run, problem: Problem | undefined): Response {
    run.isWhole = problem !== 'cuts';
    run.isHeard = run.isWhole;
    const meta = { billed_units: { search_units: 1 } };
    const answer = { results: [{ index: 0, relevance_score: 0.5 }], ...(run.hasUsage && { meta }) };
    return run.isWhole ? Response.json(answer) : this.#cutOff(machine, encoder.encode(JSON.stringify(answer)));
  }

  #cutOff(machine: Machine, body: Uint8Array): Response {
    const [part] = this.#dice.split(body);
    let isOver = false;
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => breakOff(machine, this.#world, controller, part, () => isOver),
      cancel() {
        isOver = true;
      },
    });
    return new Response(stream, { headers: { 'content-type': 'application/json' } });
  }
}

/** A connection that breaks after these bytes. */
function breakOff(
  machine: Machine,
  world: World,
  controller: ReadableStreamDefaultController<Uint8Array>,
  bytes: Uint8Array,
  isOver: () => boolean,
): void {
  machine.enter(() => {
    if (!isOver()) controller.enqueue(bytes);
  });
  // Later: an error discards what was not read.
  world.after(1, () =>
    machine.enter(() => {
      if (!isOver()) controller.error(new Error('connection reset'));
    }),
  );
}

function promptOf({ messages, query }: Body): string {
  return query ?? messages?.find(({ role }) => role === 'user')?.content ?? '';
}

function numberOf(body: Body): string {
  return promptOf(body).split(' ')[1] ?? '';
}

export const FICKLE = 'fickle';

/** `run` counts from 1. */
export function wordsOf(prompt: string, run: number): string[] {
  const [, number = '', kind, length = '5'] = prompt.split(' ');
  const name = kind === FICKLE ? `${number}-${run}` : number;
  return Array.from({ length: Number(length) }, (_, index) => `reply-${name}-${index} `);
}
