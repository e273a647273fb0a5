// One request in translation, and what reading its answer as a whole and as a stream have in common.

import { weighTokens } from '../../kit/tokens.ts';
import type { Carrier } from '../carrier.ts';
import { addOutput, type Dialect, NO_OUTPUT, type Output, type RelayRequest } from '../dialect.ts';
import type { ClientAdapter, Target, UpstreamAdapter, WrittenRequest } from './adapters.ts';
import type { AnswerEvent } from './answer-events.ts';
import type { StopMatcher } from './stop-sequences.ts';
import { createToolRestorer } from './tools/tool-arguments.ts';

export interface Translation {
  dialect: Dialect;
  client: ClientAdapter;
  upstream: UpstreamAdapter;
  endpoint: Carrier['endpoint'];
  request: RelayRequest;
  target: Target;
  createdAt: number;
}

export function hidesThoughts({ client, request }: Pick<Translation, 'client' | 'request'>): boolean {
  return client.hidesThoughts?.(request.document.value) === true;
}

/** Reasoning that a client asked not to be shown. It is billed, so it is counted here, before the client's format drops it. */
export class HiddenThoughts {
  output = NO_OUTPUT;
  readonly #keepsSignatures: boolean;
  #isThought = false;

  constructor({ keepsSignatures }: Pick<ClientAdapter, 'keepsSignatures'>) {
    this.#keepsSignatures = keepsSignatures === true;
  }

  /** True if the event is not shown: reasoning, and signatures unless the client keeps those of what it sees. */
  takes(event: AnswerEvent): boolean {
    if (event.type === 'sign') return this.#isThought || !this.#keepsSignatures;
    if (event.type === 'open') this.#isThought = event.block.kind === 'reasoning' || event.block.kind === 'redacted';
    if (!this.#isThought) return false;
    if (event.type === 'delta' && event.text !== '') this.output = addOutput(this.output, thoughtOf(event.text));
    this.#isThought = event.type !== 'close';
    return event.type === 'open' || event.type === 'delta' || event.type === 'close';
  }
}

function thoughtOf(text: string): Output {
  const tokens = weighTokens(text);
  return { ...NO_OUTPUT, hasReasoning: true, tokens, reasoningTokens: tokens };
}

/** From here on the text is the vendor's, not the model's. */
export function isVendors(event: AnswerEvent): boolean {
  return event.type === 'open' && event.block.kind === 'refusal' && event.block.isVendors === true;
}

export function createRestorer(written: WrittenRequest, stops: StopMatcher): (event: AnswerEvent) => AnswerEvent[] {
  const restoreTools = createToolRestorer(written);
  const dropGaps = createGapFilter();
  return (event) => restoreTools(event).flatMap(dropGaps).flatMap(stops.take);
}

// Drops text of white space alone between two tool calls. Some models separate their calls with it, and clients would show
// it as an answer of its own.
function createGapFilter(): (event: AnswerEvent) => AnswerEvent[] {
  /** The block before this one is a call. */
  let isAfterCall = false;
  /** Text after a call, while it is white space alone. */
  let gap: AnswerEvent[] = [];

  return (event) => {
    const isCall = event.type === 'open' && event.block.kind === 'tool';
    const isText = event.type === 'open' && event.block.kind === 'text';
    if (gap.length === 0 ? isAfterCall && isText : isText || isBlank(event)) {
      gap.push(event);
      return [];
    }
    if (event.type === 'open') isAfterCall = isCall;
    const before = isCall ? [] : gap;
    gap = [];
    return [...before, event];
  };
}

function isBlank(event: AnswerEvent): boolean {
  return event.type === 'close' || (event.type === 'delta' && !event.isMedia && event.text.trim() === '');
}
