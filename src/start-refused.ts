/** A start that cannot succeed; the message is one line for the operator. */
export class StartRefused extends Error {
  override name = 'StartRefused';
}
