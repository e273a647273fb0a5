// The connection that a request came by, as far as those who answer have a say in it.

export interface Connection {
  /** The socket's address; undefined without a socket, and once the client has gone: who needs it later asks before any wait. */
  peer(): string | undefined;
  /** Whether it stays open however long it is silent. Only what has an end of its own may say so, and takes it back then. */
  keepOpen(isKept: boolean): void;
}

/** Of a request that came by no socket. */
export const NO_CONNECTION: Connection = { peer: () => undefined, keepOpen() {} };
