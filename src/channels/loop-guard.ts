// A gateway whose channel leads back to itself would call itself until something breaks. Every call to an upstream names
// the gateways it has passed; one that comes back with our own name has gone in a circle.

export const LOOP_HEADER = 'x-svc-loop';
const MAX_HOPS = 10;

/** `passed`: the header as it came in. */
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
