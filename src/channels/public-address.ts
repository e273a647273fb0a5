// Recognizes addresses on the public internet: all except private, loopback, link-local, carrier, test and multicast
// ranges, and notations that embed one of those. Clouds also serve metadata and internal services at some addresses
// that registries list as public.

import { type Address, isInside, type Network, parseNetwork } from '../kit/address.ts';

const CLOUD_INTERNAL = [
  // Azure: the host agent, with the machine's certificates and extensions.
  '168.63.129.16/32',
  // IBM Cloud: internal services.
  '161.26.0.0/16',
  '166.8.0.0/14',
  // Equinix Metal: metadata.
  '192.80.8.124/32',
];

const RESERVED: readonly Network[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  ...CLOUD_INTERNAL,
].map(network);

/** In IPv6 only parts of global unicast are public. */
const GLOBAL_V6 = network('2000::/3');
const RESERVED_V6: readonly Network[] = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map(network);

export function isPublicAddress(address: Address): boolean {
  if (address.family === 4) return !RESERVED.some((range) => isInside(address, range));
  return isInside(address, GLOBAL_V6) && !RESERVED_V6.some((range) => isInside(address, range));
}

function network(text: string): Network {
  const parsed = parseNetwork(text);
  if (!parsed) throw new Error(`not a network: ${text}`);
  return parsed;
}
