// Host names of the local machine: traffic to them stays on it.

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/i;

/** `host`: from a URL or a Host header, without the port. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}
