// A call whose body is large: it is refused by key, model and limits before its body is parsed, and counts against its
// account and its address if it gets no answer, or one that the gateway gives itself.

import type { PresentedKey } from '../accounts/keys/authenticator.ts';
import { readUnparsed, type UnparsedFields } from '../dialects/fields.ts';
import { clientLeft, Fault, isClientGone } from '../faults/fault.ts';
import type { Spans } from '../kit/json/spans.ts';
import { type Caller, type CallWork, SMALL_BODY_BYTES, TURN_UNITS, unitsOf } from '../limits/large-work.ts';
import type { CapacityLease } from '../limits/load.ts';
import { addressOf } from './client-address.ts';
import { encodingOf } from './decode-body.ts';
import type { HttpTools, KeyedExchange } from './exchange.ts';
import { type BodyCapacity, decodeBody, finishScan, openScan, parseScannedText, pause, readBody } from './read-body.ts';
import { type KeyedBody, parseKeyed, readPeerBeforeWait, requireKey } from './read-keyed-body.ts';

/** Throws the fault of a call that can be refused before its body is parsed. */
export type RefuseEarly = (key: PresentedKey, fields: UnparsedFields) => void;

/** Throws `rate_limited` before the body is read. Undefined for a body that is small by its declared length. */
export function openLargeCall(tools: HttpTools, exchange: KeyedExchange, asksNoModel = false): LargeCall | undefined {
  const { headers } = exchange.request;
  const declared = headers.get('content-length');
  if (declared !== null && Number(declared) <= SMALL_BODY_BYTES && !encodingOf(headers)) return undefined;
  const large = new LargeCall(tools, exchange, asksNoModel);
  large.check();
  return large;
}

export class LargeCall implements CallWork {
  readonly #tools: HttpTools;
  readonly #exchange: KeyedExchange;
  readonly #caller: Caller;
  readonly #asksNoModel: boolean;
  #units = 0;
  #endTurn: (() => void) | undefined;
  #undoCharge: (() => void) | undefined;

  constructor(tools: HttpTools, exchange: KeyedExchange, asksNoModel: boolean) {
    this.#tools = tools;
    this.#exchange = exchange;
    this.#caller = { accountId: exchange.key.accountId, address: addressOf(tools, exchange) };
    this.#asksNoModel = asksNoModel;
  }

  check(): void {
    const { wasted, answeredHere } = this.#tools.largeWork;
    wasted.check(this.#caller);
    if (this.#asksNoModel) answeredHere.check(this.#caller);
  }

  /** The bytes read of a body count even if the rest is refused: a few compressed bytes can become many. */
  counting(capacity: BodyCapacity): BodyCapacity {
    let length = 0;
    return {
      grow: (bytes) => {
        capacity.grow(bytes);
        length += bytes;
        this.#units = unitsOf(length, UNSEEN);
      },
      // Counted when it has arrived.
      reserve: (bytes) => capacity.reserve(bytes),
    };
  }

  async read(body: Uint8Array, refuseEarly: RefuseEarly): Promise<KeyedBody> {
    const { authenticator } = this.#tools;
    if (body.length <= SMALL_BODY_BYTES) return parseKeyed(body, await authenticator.revalidate(this.#exchange.key));
    const text = decodeBody(body);
    const spans = await this.#scan(text, body.length);
    // The body may be the texts of a form, and more was read.
    const units = Math.max(this.#units, unitsOf(body.length, spans));
    if (units >= TURN_UNITS) this.#endTurn = await this.#tools.largeWork.turn(this.#caller.accountId);
    this.#requireClient();
    this.check();
    this.#units = units;
    this.#charge();
    const unparsed = readUnparsed(text, spans);
    const key = requireKey(await authenticator.revalidate(this.#exchange.key));
    if (unparsed) refuseEarly(key, unparsed);
    const keyed = { key, document: await parseScannedText(text, spans) };
    await this.step();
    return keyed;
  }

  /** A body that the scan refuses counts by what was found up to there. */
  async #scan(text: string, bytes: number): Promise<Spans> {
    const scan = openScan(text);
    try {
      return await finishScan(scan);
    } catch (error) {
      this.#units = unitsOf(bytes, scan.spans);
      throw error;
    }
  }

  /** Yields to other requests between two steps of heavy work. Throws if the client has left. */
  async step(): Promise<void> {
    if (this.#units < TURN_UNITS) return;
    await pause();
    this.#requireClient();
  }

  #requireClient(): void {
    if (this.#exchange.request.signal.aborted) throw clientLeft();
  }

  stopCounting(): void {
    this.#endTurn?.();
    this.#endTurn = undefined;
    this.#undoCharge?.();
    this.#undoCharge = undefined;
  }

  /** Answers by the gateway itself have no limit in the store, so they are counted here. Throws `rate_limited`. */
  answeredHere(): void {
    const { answeredHere } = this.#tools.largeWork;
    answeredHere.check(this.#caller);
    this.stopCounting();
    answeredHere.charge(this.#caller, this.#units);
  }

  /** It got no answer. Failures of the gateway do not count. */
  failed(error: unknown): void {
    const isOurs = !(error instanceof Fault) || (error.isOurs && !isClientGone(error, this.#exchange.request));
    this.stopCounting();
    if (!isOurs) this.#charge();
  }

  #charge(): void {
    this.#undoCharge = this.#tools.largeWork.wasted.charge(this.#caller, this.#units);
  }
}

/** For a body that was refused before it was scanned. */
const UNSEEN = { values: 0, items: 0 };

export interface BodyWithoutModel extends KeyedBody {
  capacity: CapacityLease;
  /** Undefined for a small body. */
  large: LargeCall | undefined;
}

interface Bounds {
  maxBytes: number;
  /** Checks a large body before it is parsed. */
  refuseEarly?: RefuseEarly;
}

/** The frame of calls that the gateway answers itself, and whose body may be large: token counts, quotes, messages of MCP. */
export async function answerWithoutModel<Answer>(
  tools: HttpTools,
  exchange: KeyedExchange,
  { maxBytes, refuseEarly = () => {} }: Bounds,
  answer: (body: BodyWithoutModel) => Answer | Promise<Answer>,
): Promise<Answer> {
  const capacity = tools.load.acquire(exchange.key.accountId);
  let large: LargeCall | undefined;
  try {
    large = openLargeCall(tools, exchange, true);
    const body = await readBody(exchange.request, maxBytes, tools.clock, large?.counting(capacity) ?? capacity);
    const keyed = large
      ? await large.read(body, refuseEarly)
      : parseKeyed(body, await readPeerBeforeWait(tools.authenticator.revalidate(exchange.key), exchange.connection));
    const answered = await answer({ ...keyed, capacity, large });
    large?.answeredHere();
    return answered;
  } catch (error) {
    large?.failed(error);
    throw error;
  } finally {
    capacity.release();
  }
}
