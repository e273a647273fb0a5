// Errors of starts that end without a server: refused or stopped.

/** A start that cannot succeed; the message is one line for the operator. */
export class StartRefused extends Error {
  override name = 'StartRefused';
}

/** A start that was stopped before it had anything to drain. */
export class StartEnded extends Error {
  override name = 'StartEnded';
}
