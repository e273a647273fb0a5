// Starts that end without a server: refused, or told to stop.

/** A start that cannot succeed; the message is one line for the operator. */
export class StartRefused extends Error {
  override name = 'StartRefused';
}

/** A start that was told to stop while it had nothing yet that must be ended with care. */
export class StartEnded extends Error {
  override name = 'StartEnded';
}
