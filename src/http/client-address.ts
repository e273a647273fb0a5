// Who is calling: the socket's peer, or, behind proxies we were told to trust, the right-most address they vouch for.

import { type Address, isInside, limitSubject, type Network, parseAddress } from '../kit/address.ts';

const UNKNOWN = 'unknown';

/** What limits per address count by. */
export function clientSubject(
  peer: string | undefined,
  forwardedFor: string | null,
  trustedProxies: readonly Network[],
): string {
  const address = clientAddress(peer, forwardedFor, trustedProxies);
  return address ? limitSubject(address) : UNKNOWN;
}

function clientAddress(
  peer: string | undefined,
  forwardedFor: string | null,
  trustedProxies: readonly Network[],
): Address | undefined {
  const isTrusted = (address: Address) => trustedProxies.some((network) => isInside(address, network));
  let client = peer === undefined ? undefined : parseAddress(peer);
  if (!client || !isTrusted(client) || forwardedFor === null) return client;
  for (const hop of forwardedFor.split(',').reverse()) {
    const address = parseAddress(hop.trim());
    // What a trusted proxy could not have written ends the chain: the last good hop is the client.
    if (!address) return client;
    client = address;
    if (!isTrusted(address)) return address;
  }
  return client;
}
