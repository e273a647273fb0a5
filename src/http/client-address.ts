// The caller's address: the socket's peer, or, behind trusted proxies, the right-most address that they added.

import type { Origin } from '../accounts/register-agent.ts';
import { type Address, isInside, limitSubject, type Network, parseAddress, widerNetworks } from '../kit/address.ts';
import type { Exchange, HttpTools } from './exchange.ts';

const UNKNOWN = 'unknown';

/** The keyed hash of the client's address. Nothing else of the address is stored. */
export function addressOf(
  { hashAddress, trustedProxies }: Pick<HttpTools, 'hashAddress' | 'trustedProxies'>,
  { request, connection }: Pick<Exchange, 'request' | 'connection'>,
): string {
  return hashAddress(clientSubject(connection.peer(), request.headers.get('x-forwarded-for'), trustedProxies));
}

/** The origin of a registration: keyed hashes of the address and of the larger networks that contain it. */
export function originOf(
  tools: Pick<HttpTools, 'hashAddress' | 'trustedProxies'>,
  visitor: Pick<Exchange, 'request' | 'connection'>,
): Origin {
  const { request, connection } = visitor;
  const client = clientAddress(connection.peer(), request.headers.get('x-forwarded-for'), tools.trustedProxies);
  const networks = client ? widerNetworks(client) : [];
  return {
    address: addressOf(tools, visitor),
    networks: networks.map(({ prefix, subject }) => ({ prefix, address: tools.hashAddress(subject) })),
  };
}

/** The subject of limits per address. */
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
    const address = parseHop(hop.trim());
    // An entry that a trusted proxy cannot have written ends the chain: the last good hop is the client.
    if (!address) return client;
    client = address;
    if (!isTrusted(address)) return address;
  }
  return client;
}

/** Some proxies write the port, too: `203.0.113.7:49152`, `[2001:db8::7]:49152`. */
function parseHop(hop: string): Address | undefined {
  const [, bracketed, plain] = /^\[([^\]]*)\](?::\d{1,5})?$|^([\d.]+):\d{1,5}$/.exec(hop) ?? [];
  return parseAddress(bracketed ?? plain ?? hop);
}
