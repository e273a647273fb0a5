// The connection of a request, as far as handlers control it.

export interface Connection {
  /** The socket's address; undefined without a socket or after the client has gone, so read it before any wait. */
  peer(): string | undefined;
  /** Whether it stays open while silent. The caller must have its own timeout and undo this at the end. */
  keepOpen(isKept: boolean): void;
}

/** For a request without a socket. */
export const NO_CONNECTION: Connection = { peer: () => undefined, keepOpen() {} };
