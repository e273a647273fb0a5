// One turn on a socket: a call of POST /v1/responses, as if the client had sent it, with its own hold, receipt and request id.

import type { CreateMessage } from '../../dialects/openai-responses/socket/messages.ts';
import { type AnsweredTurn, TurnMessages } from '../../dialects/openai-responses/socket/turn-messages.ts';
import type { ByteSink, Connection, OutgoingStream } from '../../kit/connection.ts';
import type { HttpTools } from '../exchange.ts';

/** Facts of the handshake that every turn of a socket shares. */
export interface Caller {
  headers: Headers;
  peer: string | undefined;
}

interface Turn extends TurnOutput {
  body: string;
  /** The client has left. */
  gone: AbortSignal;
}

interface TurnEnd {
  status: number;
  answered: AnsweredTurn | undefined;
}

type Tools = Pick<HttpTools, 'dispatch' | 'publicUrl'>;

export async function runTurn(tools: Tools, caller: Caller, turn: Turn): Promise<TurnEnd> {
  const connection = new TurnConnection(caller.peer);
  const response = await tools.dispatch(requestOf(tools, caller, turn), connection);
  const { status, headers } = response;
  if (!headers.get('content-type')?.startsWith('text/event-stream')) {
    if (!turn.gone.aborted) await turn.send(errorMessage(status, headers, await response.text(), turn.streamId));
    return { status, answered: undefined };
  }
  const sink = new TurnSink(turn, headers);
  if (connection.stream) await connection.stream.serve(sink);
  else await writeText(sink, await response.text());
  return { status, answered: sink.answered };
}

async function writeText(sink: ByteSink, text: string): Promise<void> {
  await sink.write(text);
  sink.close();
}

function requestOf({ publicUrl }: Tools, caller: Caller, { body, gone }: Turn): Request {
  const headers = new Headers(caller.headers);
  headers.set('content-type', 'application/json');
  // The length shows whether a body is large before it is read.
  headers.set('content-length', String(Buffer.byteLength(body)));
  return new Request(new URL('/v1/responses', publicUrl), { method: 'POST', headers, body, signal: gone });
}

/** The streamed answer goes to the socket. */
class TurnConnection implements Connection {
  readonly #peer: string | undefined;
  stream: OutgoingStream | undefined;

  constructor(peer: string | undefined) {
    this.#peer = peer;
  }

  peer(): string | undefined {
    return this.#peer;
  }

  /** The socket has its own timeouts. */
  keepOpen(): void {}

  takeStream(stream: OutgoingStream): void {
    this.stream = stream;
  }
}

/** Headers that help a client after a refusal. */
const SHOWN = /^(retry-after|x-should-retry|x-request-id|x-ratelimit-.*)$/;

/** The protocol's `error` event: a refusal with the status, headers and body that POST would return. */
export function errorMessage(status: number, headers: Headers, body: string, streamId: string | undefined): string {
  const shown: Record<string, string> = {};
  headers.forEach((value, name) => {
    if (SHOWN.test(name)) shown[name] = value;
  });
  const stream = streamId === undefined ? {} : { stream_id: streamId };
  const own = { type: 'error', status, ...stream, svc: svcOf(headers), headers: shown };
  return `${JSON.stringify(own).slice(0, -1)},${body.slice(1)}`;
}

interface TurnOutput extends Pick<CreateMessage, 'streamId' | 'wantsSealed'> {
  /** A promise if the client does not read fast enough. */
  send(message: string): Promise<void> | undefined;
  /** The answer broke off without a last event. */
  onBroken(): void;
}

/** Sends the streamed answer to the socket, with the answer's headers as fields. */
class TurnSink implements ByteSink {
  readonly #output: TurnOutput;
  readonly #messages: TurnMessages;

  constructor(output: TurnOutput, headers: Headers) {
    this.#output = output;
    this.#messages = new TurnMessages(output, svcOf(headers));
  }

  get answered(): AnsweredTurn | undefined {
    return this.#messages.answered;
  }

  write(frames: string | Uint8Array): number | Promise<number> {
    const bytes = typeof frames === 'string' ? Buffer.from(frames) : frames;
    let blocked: Promise<void> | undefined;
    for (const message of this.#messages.read(bytes)) blocked = this.#output.send(message);
    return blocked ? blocked.then(() => bytes.length) : bytes.length;
  }

  flush(): void {}

  close(error?: Error): void {
    if (error) this.#output.onBroken();
  }
}

const PREFIX = 'x-svc-';

/** `x-svc-channel` is `channel`. */
function svcOf(headers: Headers): Record<string, string> {
  const svc: Record<string, string> = { request_id: headers.get('x-request-id') ?? '' };
  headers.forEach((value, name) => {
    if (name.startsWith(PREFIX)) svc[name.slice(PREFIX.length).replaceAll('-', '_')] = value;
  });
  return svc;
}
