// One WebSocket of GET /v1/responses. Each `response.create` becomes a turn; turns of one stream run one after the other,
// those of different streams at the same time.
//
//   open    → closing  the server drains, the hour is over, or the key is no longer valid: no new turn is taken
//   open    → closed   the client left, does not read, or has asked for nothing for a while
//   closing → closed   the turns that ran have ended, or the client left

import type { PresentedKey } from '../../accounts/keys/authenticator.ts';
import {
  type CreateMessage,
  isSteer,
  joinItems,
  readCreate,
  streamIdOf,
  userMessages,
  writeBody,
  writeSteerFailed,
  writeWarmed,
} from '../../dialects/openai-responses/socket/messages.ts';
import { type Fault, fault, toFault } from '../../faults/fault.ts';
import type { FaultCode } from '../../faults/table.ts';
import { writeFault } from '../../faults/write.ts';
import { HOUR_MS, MINUTE_MS } from '../../kit/clock.ts';
import type { Socket, SocketUser } from '../../kit/connection.ts';
import { describeError } from '../../kit/log.ts';
import type { HttpTools } from '../exchange.ts';
import { finishScan, openScan, parseScannedText } from '../read-body.ts';
import { requireKey } from '../read-keyed-body.ts';
import { KeptAnswers } from './kept-answers.ts';
import { type Caller, errorMessage, runTurn } from './run-turn.ts';
import { MAX_RUNNING, MAX_WAITING, TurnQueues } from './turn-queues.ts';

const MAX_TURNS = MAX_RUNNING + MAX_WAITING;
/** The total length of the messages of these turns. */
const MAX_TURN_CHARS = 20 * 1024 * 1024;
export const IDLE_MS = 15 * MINUTE_MS;
const LIFE_MS = HOUR_MS;
/** A turn waits for the client to read if more than this is unread. */
const UNREAD_BYTES = 256 * 1024;
/** A client that keeps sending invalid messages without reading the refusals is disconnected. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;

const GOING_AWAY: Ending = { code: 1001, reason: 'This connection ends here. Connect again.' };
const TOO_OLD: Ending = { ...GOING_AWAY, last: 'websocket_connection_limit_reached' };
const IDLE: Ending = { code: 1000, reason: 'No response was asked for in 15 minutes. Connect again.' };
const KEY_INVALID: Ending = { code: 1008, reason: 'The key is no longer valid.' };

/** How a connection ends. */
interface Ending {
  code: number;
  reason: string;
  /** Sent before it, and to messages that come too late. */
  last?: FaultCode;
}

interface SocketCaller extends Caller {
  key: PresentedKey;
}

export class ResponseSocket implements SocketUser {
  readonly #tools: HttpTools;
  readonly #caller: SocketCaller;
  readonly #kept: KeptAnswers;
  readonly #gone = new AbortController();
  readonly #queues = new TurnQueues();
  #socket: Socket | undefined;
  #release = () => {};
  #reading: Promise<unknown> = Promise.resolve();
  #turns = 0;
  #turnChars = 0;
  #closing: Ending | undefined;
  #unread: PromiseWithResolvers<void> | undefined;
  #cancelIdle = () => {};
  #cancelLife = () => {};

  constructor(tools: HttpTools, caller: SocketCaller) {
    this.#tools = tools;
    this.#caller = caller;
    this.#kept = new KeptAnswers(tools.sockets.memory, caller.key.accountId);
  }

  /** Registers itself with the open sockets; throws if the limit is reached. If the upgrade fails, call `onClose`. */
  reserve(): void {
    this.#release = this.#tools.sockets.add(this, this.#caller.key);
  }

  onOpen(socket: Socket): void {
    this.#socket = socket;
    this.#cancelLife = this.#tools.clock.after(LIFE_MS, () => this.#close(TOO_OLD));
    this.#startIdleTimer();
  }

  onMessage(message: string | Uint8Array): void {
    const text = typeof message === 'string' ? message : '';
    const refused = this.#refusalOf(message);
    if (refused) this.#refuse(refused, streamIdOf(text));
    else this.#accept(text);
  }

  onDrain(): void {
    if ((this.#socket?.bufferedBytes() ?? 0) <= UNREAD_BYTES) this.#continue();
  }

  onClose(): void {
    this.#socket = undefined;
    this.#gone.abort();
    this.#cancelIdle();
    this.#cancelLife();
    this.#continue();
    this.#kept.clear();
    this.#release();
  }

  drain(): void {
    this.#close(GOING_AWAY);
  }

  #refusalOf(message: string | Uint8Array): Fault | undefined {
    if (typeof message !== 'string') {
      return fault('invalid_request', { message: 'The message is binary. Send JSON as a text message.' });
    }
    if (this.#closing) return fault(this.#closing.last ?? 'unavailable', { internal: 'closing' });
    const isLong = this.#turns > 0 && this.#turnChars + message.length > MAX_TURN_CHARS;
    return this.#turns >= MAX_TURNS || isLong ? tooManyTurns(this.#turns) : undefined;
  }

  #accept(text: string): void {
    this.#turns++;
    this.#turnChars += text.length;
    this.#cancelIdle();
    void this.#handle(text).finally(() => {
      this.#turns--;
      this.#turnChars -= text.length;
      this.#startIdleTimer();
    });
  }

  /** Messages are read in their order, whatever their size. */
  async #handle(text: string): Promise<void> {
    const reading = this.#reading.then(() => readMessage(text));
    this.#reading = reading.catch(() => {});
    try {
      const message = await reading;
      if ('answer' in message) this.#send(message.answer);
      else await this.#queues.run(message.streamId, () => this.#turn(message));
    } catch (error) {
      this.#refuse(error, streamIdOf(text));
    }
  }

  async #turn(message: CreateMessage): Promise<void> {
    if (this.#gone.signal.aborted) return;
    await this.#run(message).catch((error) => this.#refuse(error, message.streamId));
  }

  async #run(message: CreateMessage): Promise<void> {
    const { streamId, previousId, wantsSealed } = message;
    const history = previousId === undefined ? '' : this.#kept.find(previousId);
    if (history === undefined) throw fault('previous_response_not_found', { param: 'previous_response_id' });
    if (!message.generates) return this.#storeInput(message, history);
    const { status, answered } = await runTurn(this.#tools, this.#caller, {
      body: writeBody(message, history),
      streamId,
      wantsSealed,
      gone: this.#gone.signal,
      send: (text) => this.#send(text),
      onBroken: () => this.#onBroken(streamId),
    });
    if (status === 401) this.#close(KEY_INVALID);
    if (!answered) return;
    const asked = joinItems(history, message.items ?? '');
    // A vendor's compaction item does not contain the user's messages.
    const before = answered.isCompacted ? userMessages(asked) : asked;
    this.#keep(answered.id, streamId, joinItems(before, ...answered.items));
  }

  /** Stores the input without calling a model, so that the next turn can refer to it. */
  async #storeInput(message: CreateMessage, history: string): Promise<void> {
    const tools = this.#tools;
    requireKey(await tools.authenticator.revalidate(this.#caller.key));
    const id = `resp_${tools.newId('req')}`;
    this.#keep(id, message.streamId, joinItems(history, message.items ?? ''));
    for (const event of writeWarmed(id, message, tools.clock.now())) this.#send(event);
  }

  #keep(id: string, streamId: string | undefined, items: string): void {
    if (!this.#gone.signal.aborted) this.#kept.keep(id, { streamId, items });
  }

  #send(text: string): Promise<void> | undefined {
    const socket = this.#socket;
    if (!socket) return undefined;
    if (!socket.send(text)) socket.terminate();
    if (socket.bufferedBytes() <= UNREAD_BYTES) return undefined;
    this.#unread ??= Promise.withResolvers();
    return this.#unread.promise;
  }

  #continue(): void {
    this.#unread?.resolve();
    this.#unread = undefined;
  }

  /** The client did not read for a minute, or the answer could not be ended. */
  #onBroken(streamId: string | undefined): void {
    if (this.#unread) this.#socket?.terminate();
    else this.#refuse(fault('unavailable', { internal: 'an answer broke off' }), streamId);
  }

  #refuse(error: unknown, streamId: string | undefined): void {
    const { publicUrl, newId, log } = this.#tools;
    const refused = toFault(error);
    const requestId = newId('req');
    this.#tools.countFault(refused.label);
    if (refused !== error) log('error', 'fault', { request_id: requestId, detail: describeError(error) });
    const { status, headers, body } = writeFault(refused, 'openai', { publicUrl, requestId });
    const shown = new Headers({ ...headers, 'x-request-id': requestId });
    this.#send(errorMessage(status, shown, JSON.stringify(body), streamId));
    if (status === 401) this.#close(KEY_INVALID);
    if ((this.#socket?.bufferedBytes() ?? 0) > MAX_UNREAD_BYTES) this.#socket?.terminate();
  }

  /** Called after each turn; does nothing while others run. */
  #startIdleTimer(): void {
    if (this.#turns > 0 || !this.#socket) return;
    this.#cancelIdle();
    if (this.#closing) this.#close(this.#closing);
    else this.#cancelIdle = this.#tools.clock.after(IDLE_MS, () => this.#close(IDLE));
  }

  #close(how: Ending): void {
    this.#closing = how;
    if (this.#turns > 0) return;
    if (how.last) this.#refuse(fault(how.last), undefined);
    this.#socket?.close(how.code, how.reason);
  }
}

function tooManyTurns(used: number): Fault {
  return fault('too_many_in_flight', {
    message: `This connection has ${used} responses running or waiting, or too much input waiting. Wait for one to end.`,
    figures: { limit: MAX_TURNS, used },
  });
}

/** A message that is answered without a turn. */
interface Answered {
  answer: string;
}

/** A large one is scanned in pieces, between which other requests run. Throws `invalid_request` or `invalid_stream_id`. */
async function readMessage(text: string): Promise<CreateMessage | Answered> {
  const spans = await finishScan(openScan(text));
  if (isSteer(text, spans)) return { answer: writeSteerFailed((await parseScannedText(text, spans)).value) };
  const message = readCreate(text, spans);
  // Checked here, because no call will check input that is only stored.
  if (!message.generates) await parseScannedText(text, spans);
  return message;
}
