// A vendor on loopback: produces tokens, reports usage the way vendors do, and keeps its own bill. The bill is what the
// operator owes for a call, whatever the gateway has seen of it.

import { messageAnswer, messageEvents } from '../support/anthropic-messages.ts';
import { chatAnswer, chatChunks, jsonScript, sseText } from '../support/openai-chat.ts';
import { responseAnswer, responseEvents, responseFrame } from '../support/openai-responses.ts';
import type { Cut, Part, Script } from '../support/script.ts';
import { type ScriptedUpstream, type SeenRequest, startUpstream } from '../support/upstream.ts';

export type Speech = 'chat' | 'messages' | 'responses';
export type Report = 'exact' | 'none' | 'zero' | 'invalid';
export type Finish = 'stop' | 'length' | 'stop_sequence' | 'refusal';

export interface Tokens {
  input: number;
  reasoning: number;
  /** Visible output. */
  output: number;
}

export interface Pause {
  /** Visible pieces that are sent before it. */
  after: number;
  until: Promise<unknown>;
}

/** How the vendor answers one request. */
export interface Plan {
  /** Visible output. Each piece is one token of the vendor's tokenizer. */
  pieces?: readonly string[];
  /** Reasoning tokens that no event shows. */
  hidden?: number;
  /** Reasoning that the stream shows, one token each. */
  thoughts?: readonly string[];
  /** Output tokens that are neither reasoning nor visible, as those of a stop sequence. */
  unshown?: number;
  /** Input tokens; by default, the vendor's own count of the request. */
  input?: number;
  finish?: Finish;
  report?: Report;
  /** The usage object as it is sent, where it is not in the usual form. */
  usage?: Record<string, unknown>;
  pauses?: readonly Pause[];
  /** The vendor notices an abort after producing so many more tokens. */
  lag?: number;
  /** The connection breaks after so many visible pieces. */
  breaksAfter?: number;
  breaksBy?: Cut['by'];
  /** A refusal with this status: nothing is billed. */
  refuses?: number;
  /** Sent in place of the usual form; counts as produced once it is sent. */
  script?: Script;
}

export interface VendorCall {
  readonly request: SeenRequest;
  readonly plan: Plan;
  /** What the vendor bills for this call, as of now. */
  billed(): Tokens;
  /** The true usage has been sent, and the caller was still there. */
  hasReported(): boolean;
}

export interface Vendor {
  upstream: ScriptedUpstream;
  readonly calls: readonly VendorCall[];
  /** Plans for the next requests, in the order they arrive. */
  next(...plans: Plan[]): void;
  /** Chooses the plan of requests for which none is queued. */
  otherwise(choose: (request: SeenRequest) => Plan): void;
  /** Hears of every call that is accepted or refused. */
  onCall(hear: (call: VendorCall) => void): void;
  /** Forgets its calls and plans. */
  reset(): void;
  close(): Promise<void>;
}

const REFUSES: Plan = { refuses: 500 };

export async function startVendor(upstream?: ScriptedUpstream): Promise<Vendor> {
  const own = upstream ?? (await startUpstream());
  let calls: VendorCall[] = [];
  let queue: Plan[] = [];
  let choose = (_request: SeenRequest): Plan => REFUSES;
  let hear = (_call: VendorCall) => {};
  own.otherwise((request) => {
    const plan = queue.shift() ?? choose(request);
    const production = new Production(request, plan);
    calls.push(production);
    hear(production);
    return production.script();
  });
  return {
    upstream: own,
    get calls() {
      return calls;
    },
    next: (...plans) => void queue.push(...plans),
    otherwise(chosen) {
      choose = chosen;
    },
    onCall(heard) {
      hear = heard;
    },
    reset() {
      calls = [];
      queue = [];
      choose = () => REFUSES;
    },
    close: () => own.close(),
  };
}

/** The vendor's tokenizer: three bytes of text a token. The gateway counts otherwise. */
export function vendorTokens(body: unknown): number {
  return Math.ceil(textBytes(body) / 3) + 4;
}

function textBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce((sum, [name, member]) => sum + (COUNTED.test(name) ? textBytes(member) : 0), 0);
}

const COUNTED = /^(\d+|messages|input|prompt|content|text|system|instructions)$/;

interface Frame {
  text: string;
  /** Tokens that had to be produced before it could be sent. */
  tokens: number;
}

/** One call: its script, and how far the vendor has come with it. */
class Production implements VendorCall {
  readonly request: SeenRequest;
  readonly plan: Plan;
  readonly #total: Tokens;
  readonly #frames: readonly Frame[];
  #thought = 0;
  #produced = 0;
  #isSent = false;

  constructor(request: SeenRequest, plan: Plan) {
    this.request = request;
    this.plan = plan;
    this.#total = totalOf(request, plan);
    this.#frames = framesOf(request, plan, this.#total);
  }

  billed(): Tokens {
    if (this.plan.refuses !== undefined) return { input: 0, reasoning: 0, output: 0 };
    const { input, reasoning, output } = this.#total;
    const lag = this.request.abortedAt === undefined ? 0 : (this.plan.lag ?? 0);
    return {
      input,
      reasoning: Math.min(reasoning, this.#thought),
      output: Math.min(output, this.#produced + lag),
    };
  }

  hasReported(): boolean {
    const { report = 'exact', breaksAfter, refuses } = this.plan;
    if (refuses !== undefined) return true;
    return this.#isSent && this.request.abortedAt === undefined && report === 'exact' && breaksAfter === undefined;
  }

  script(): Script {
    const { plan, request } = this;
    if (plan.refuses !== undefined) return jsonScript(plan.refuses, { error: { message: 'refused', type: 'x' } });
    this.#thought = plan.hidden ?? 0;
    if (plan.script) {
      this.#produceAll();
      return plan.script;
    }
    const headers = { 'content-type': isStream(request) ? 'text/event-stream' : 'application/json' };
    const rest = isStream(request) ? this.#streamParts() : this.#wholeParts();
    const cut = plan.breaksAfter === undefined ? {} : { cut: this.#cut() };
    return { headers, framing: 'chunked', rest, ...cut };
  }

  *#streamParts(): Generator<Part> {
    const pauses = [...(this.plan.pauses ?? [])];
    for (const { text, tokens } of this.#frames) {
      while (tokens > 0 && pauses[0] && pauses[0].after <= this.#produced) yield pauses.shift()?.until ?? 0;
      if (tokens > 0) this.#produce();
      yield text;
    }
    this.#produceAll();
    this.#isSent = true;
  }

  *#wholeParts(): Generator<Part> {
    for (const { until } of this.plan.pauses ?? []) yield until;
    this.#produceAll();
    for (const { text } of this.#frames) yield text;
    this.#isSent = true;
  }

  /** Shown reasoning comes first, then visible output. */
  #produce(): void {
    if (this.#thought < this.#total.reasoning) this.#thought++;
    else this.#produced++;
  }

  #produceAll(): void {
    this.#thought = this.#total.reasoning;
    this.#produced = this.#total.output;
  }

  /** A whole answer breaks in its first bytes. */
  #cut(): Cut {
    const { breaksAfter = 0, breaksBy = 'rst', thoughts = [] } = this.plan;
    if (!isStream(this.request)) return { after: 10, by: breaksBy };
    let left = breaksAfter + thoughts.length;
    let after = 0;
    for (const { text, tokens } of this.#frames) {
      if (tokens > 0 && left-- === 0) break;
      after += Buffer.byteLength(text);
    }
    return { after, by: breaksBy, pauseMs: 30 };
  }
}

function totalOf(request: SeenRequest, plan: Plan): Tokens {
  const { pieces = [], thoughts = [], hidden = 0, unshown = 0, input = vendorTokens(request.json) } = plan;
  return { input, reasoning: hidden + thoughts.length, output: pieces.length + unshown };
}

function speechOf({ path }: SeenRequest): Speech {
  if (path.includes('/messages')) return 'messages';
  return path.includes('/responses') ? 'responses' : 'chat';
}

function isStream({ json }: SeenRequest): boolean {
  return json.stream === true;
}

/** Usage as vendors of this format report it. Claude does not say what of the output was thinking. */
function usageOf(speech: Speech, { report = 'exact', usage }: Plan, total: Tokens): Record<string, unknown> | null {
  if (usage) return usage;
  if (report === 'none') return null;
  const scale = report === 'exact' ? 1 : 0;
  const [input, reasoning, output] = [total.input * scale, total.reasoning * scale, total.output * scale];
  const wrong = report === 'invalid' ? -1 : 0;
  if (speech === 'messages') return { input_tokens: input + wrong, output_tokens: reasoning + output + wrong };
  const sum = input + reasoning + output;
  const details = { reasoning_tokens: reasoning };
  return speech === 'chat'
    ? {
        ...{ prompt_tokens: input + wrong, completion_tokens: reasoning + output + wrong, total_tokens: sum },
        completion_tokens_details: details,
      }
    : {
        ...{ input_tokens: input + wrong, output_tokens: reasoning + output + wrong, total_tokens: sum },
        output_tokens_details: details,
      };
}

const CHAT_FINISH = { stop: 'stop', length: 'length', stop_sequence: 'stop', refusal: 'content_filter' };
const MESSAGE_STOP = { stop: 'end_turn', length: 'max_tokens', stop_sequence: 'stop_sequence', refusal: 'refusal' };

let runs = 0;

function optionsOf(speech: Speech, plan: Plan, total: Tokens) {
  const { pieces = [], thoughts = [], hidden = 0, finish = 'stop' } = plan;
  const usage = usageOf(speech, plan, total);
  return {
    chat: { pieces, reasoning: thoughts, finish: CHAT_FINISH[finish], usage: usage as never },
    // Thinking that is omitted is a block without words.
    messages: { pieces, thinking: hidden > 0 ? [''] : thoughts, stop: MESSAGE_STOP[finish], usage },
    responses: { pieces, reasoning: thoughts, isCutShort: finish === 'length', usage, run: `vendor${runs++}` },
  };
}

function wholeOf(speech: Speech, plan: Plan, total: Tokens): Script {
  const options = optionsOf(speech, plan, total);
  if (speech === 'chat') return chatAnswer(options.chat);
  return speech === 'messages' ? messageAnswer(options.messages) : responseAnswer(options.responses);
}

function framesOf(request: SeenRequest, plan: Plan, total: Tokens): Frame[] {
  const speech = speechOf(request);
  if (!isStream(request)) return [{ text: String(wholeOf(speech, plan, total).body?.[0]), tokens: 0 }];
  const options = optionsOf(speech, plan, total);
  if (speech === 'chat') {
    const chunks = chatChunks(options.chat).map((chunk) => frame(sseText(JSON.stringify(chunk)), CHAT_TOKEN));
    return [...chunks, frame(sseText('[DONE]'), CHAT_TOKEN)];
  }
  return speech === 'messages'
    ? messageEvents(options.messages).map((event) =>
        frame(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`, MESSAGE_TOKEN),
      )
    : responseEvents(options.responses).map((event) => frame(responseFrame(event), RESPONSE_TOKEN));
}

const CHAT_TOKEN = /"(content|reasoning_content)":"[^"]/;
const MESSAGE_TOKEN = /"(text_delta","text|thinking_delta","thinking)":"[^"]/;
const RESPONSE_TOKEN = /"response\.(output_text|reasoning_summary_text)\.delta"/;

const frame = (text: string, token: RegExp): Frame => ({ text, tokens: token.test(text) ? 1 : 0 });
