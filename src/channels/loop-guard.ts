// Detects a gateway whose channel leads back to itself, which would call itself endlessly. Every call to an upstream
// carries the ids of the gateways it has passed; a request with our own id is a loop.

export const LOOP_HEADER = 'x-svc-loop';
const MAX_HOPS = 10;

/** `passed`: the received header. */
export function hasPassed(passed: string | null | undefined, gatewayId: string): boolean {
  return passed ? hopsOf(passed).includes(gatewayId) : false;
}

/** The header for the next call. */
export function withHop(passed: string | null | undefined, gatewayId: string): string {
  return passed ? [...hopsOf(passed), gatewayId].slice(-MAX_HOPS).join(',') : gatewayId;
}

function hopsOf(passed: string): string[] {
  return passed
    .split(',')
    .map((hop) => hop.trim())
    .filter((hop) => /^[\w-]{1,64}$/.test(hop));
}
