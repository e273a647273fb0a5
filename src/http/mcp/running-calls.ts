// Tool calls that a client may cancel. Clients of the protocol before 2026-07-28 cancel with a message of its own, in another
// HTTP request, so the call has to be found again: by the session that we named when the client connected, and the
// client's id of the call. Nothing else is kept of a session, and nothing after the call has ended.

type CallId = string | number;

export class RunningCalls {
  readonly #cancels = new Map<string, () => void>();

  /** The result ends the entry; call it when the call has ended. */
  add(session: string, id: CallId, cancel: () => void): () => void {
    const name = nameOf(session, id);
    this.#cancels.set(name, cancel);
    return () => {
      if (this.#cancels.get(name) === cancel) this.#cancels.delete(name);
    };
  }

  /** Does nothing if the call has ended, or runs on another node. */
  cancel(session: string, id: CallId): void {
    this.#cancels.get(nameOf(session, id))?.();
  }
}

function nameOf(session: string, id: CallId): string {
  return JSON.stringify([session, id]);
}
