// The connection of a request, as far as handlers control it.

export interface Connection {
  /** The socket's address; undefined without a socket or after the client has gone, so read it before any wait. */
  peer(): string | undefined;
  /** Whether it stays open while silent. The caller must have its own timeout and undo this at the end. */
  keepOpen(isKept: boolean): void;
  /** Makes it a WebSocket; false if the request is no valid handshake. Absent where the server has no WebSockets. */
  upgrade?(user: SocketUser, headers: Readonly<Record<string, string>>): boolean;
  /** Takes a streamed body when it is created. The server then asks for nothing of it. */
  takeStream?(stream: OutgoingStream): void;
}

/** A streamed body that has not begun. */
export interface OutgoingStream {
  /** Sends all of it to the sink; resolves after the sink was closed, or the client has gone. */
  serve(sink: ByteSink): Promise<void>;
}

export interface ByteSink {
  /** A promise if the client does not read fast enough: it is fulfilled when the client has read. */
  write(frames: string | Uint8Array): number | Promise<number>;
  flush(): unknown;
  /** With an error, the client must not take what it got for complete. */
  close(error?: Error): unknown;
}

/** An open WebSocket. */
export interface Socket {
  /** False if the connection is lost. */
  send(text: string): boolean;
  /** Bytes sent and not yet taken by the network. */
  bufferedBytes(): number;
  close(code: number, reason: string): void;
  /** Closes it without a closing handshake. */
  terminate(): void;
}

/** The part that uses a WebSocket. */
export interface SocketUser {
  onOpen(socket: Socket): void;
  onMessage(message: string | Uint8Array): void;
  /** Everything that was sent has been taken by the network. */
  onDrain(): void;
  onClose(): void;
}

/** For a request without a socket. */
export const NO_CONNECTION: Connection = { peer: () => undefined, keepOpen() {} };
