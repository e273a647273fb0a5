// Sends the streamed answer of one turn to its socket, with the answer's headers as fields.

import type { CreateMessage } from '../../dialects/openai-responses/socket/create-message.ts';
import { type AnsweredTurn, TurnMessages } from '../../dialects/openai-responses/socket/turn-messages.ts';
import type { ByteSink } from '../../kit/connection.ts';

export interface TurnOutput extends Pick<CreateMessage, 'streamId' | 'wantsSealed'> {
  /** A promise if the client does not read fast enough. */
  send(message: string): Promise<void> | undefined;
  /** The answer broke off without a last event. */
  onBroken(): void;
}

export class TurnSink implements ByteSink {
  readonly #output: TurnOutput;
  readonly #messages: TurnMessages;

  constructor(output: TurnOutput, headers: Headers) {
    this.#output = output;
    this.#messages = new TurnMessages(output);
    this.#messages.setSvc(svcOf(headers));
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
export function svcOf(headers: Headers): Record<string, string> {
  const svc: Record<string, string> = { request_id: headers.get('x-request-id') ?? '' };
  headers.forEach((value, name) => {
    if (name.startsWith(PREFIX)) svc[name.slice(PREFIX.length).replaceAll('-', '_')] = value;
  });
  return svc;
}
