// A call whose body is large: it is refused by key, model and limits before its body is parsed, and counts against its
// account and its address if it gets no answer.

import { clientLeft, Fault, isOfGone } from '../faults/fault.ts';
import type { PresentedKey } from '../keys/authenticator.ts';
import { BODY_LIMITS } from '../kit/json/json.ts';
import { surveyJson } from '../kit/json/survey.ts';
import { type Caller, type CallWork, SMALL_BODY_BYTES, TURN_UNITS, unitsOf } from '../limits/large-work.ts';
import { addressOf } from './client-address.ts';
import type { HttpTools, KeyedExchange } from './exchange.ts';
import { type Body, pause } from './read-body.ts';
import { type KeyedBody, keyedJson } from './read-keyed-body.ts';

/** Throws the fault of a call that can be refused by the model that it names. */
export type RefuseEarly = (key: PresentedKey, model: string) => void;

/** Throws `rate_limited` before the body is read. Undefined for a body that is small by its declared length. */
export function openLargeCall(tools: HttpTools, exchange: KeyedExchange): LargeCall | undefined {
  const declared = exchange.request.headers.get('content-length');
  if (declared !== null && Number(declared) <= SMALL_BODY_BYTES) return undefined;
  const caller = { accountId: exchange.key.accountId, address: addressOf(tools, exchange) };
  tools.largeWork.check(caller);
  return new LargeCall(tools, exchange, caller);
}

export class LargeCall implements CallWork {
  readonly #tools: HttpTools;
  readonly #exchange: KeyedExchange;
  readonly #caller: Caller;
  #units = 0;
  #endTurn: (() => void) | undefined;
  #takeBack: (() => void) | undefined;

  constructor(tools: HttpTools, exchange: KeyedExchange, caller: Caller) {
    this.#tools = tools;
    this.#exchange = exchange;
    this.#caller = caller;
  }

  async read(body: Body, refuseEarly: RefuseEarly): Promise<KeyedBody> {
    if (body.length <= SMALL_BODY_BYTES) return keyedJson(this.#tools, this.#exchange, body);
    const { largeWork } = this.#tools;
    const survey = surveyJson(asText(body), 'model', BODY_LIMITS.nodes);
    const { member: model } = survey;
    const units = unitsOf(body.length, survey);
    if (units >= TURN_UNITS) this.#endTurn = await largeWork.turn(this.#caller.accountId);
    this.#requireClient();
    largeWork.check(this.#caller);
    this.#units = units;
    this.#charge();
    const keyed = await keyedJson(this.#tools, this.#exchange, body, (key) => {
      if (model !== undefined) refuseEarly(key, model);
    });
    await this.step();
    return keyed;
  }

  /** Between two steps of heavy work others have their turn. For a client that left meanwhile no more is done. */
  async step(): Promise<void> {
    if (this.#units < TURN_UNITS) return;
    await pause();
    this.#requireClient();
  }

  #requireClient(): void {
    if (this.#exchange.request.signal.aborted) throw clientLeft();
  }

  endTurn(): void {
    this.#endTurn?.();
    this.#endTurn = undefined;
  }

  waits(): void {
    this.endTurn();
  }

  admitted(): void {
    this.endTurn();
    this.#takeBack?.();
    this.#takeBack = undefined;
  }

  /** It got no answer. Failures of ours count against nobody. */
  failed(error: unknown): void {
    this.endTurn();
    const isOurs = !(error instanceof Fault) || (error.isOurs && !isOfGone(error, this.#exchange.request));
    if (isOurs) this.#takeBack?.();
    else this.#charge();
  }

  #charge(): void {
    this.#takeBack ??= this.#tools.largeWork.charge(this.#caller, this.#units);
  }
}

/** Bytes as Latin-1: what is looked for is ASCII. */
function asText(body: Body): string {
  if (typeof body === 'string') return body;
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
}
