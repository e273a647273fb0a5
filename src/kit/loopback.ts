// Names by which a machine calls itself: what is sent there leaves it on no wire.

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/i;

/** A host as a URL or a Host header has it, without its port. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}
