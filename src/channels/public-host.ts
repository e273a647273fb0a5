// Requests to a host that a client chose. It could be in our own network, so every address that its name resolves to is
// checked, and the connection then goes to exactly that address: a second lookup could return another.

import { lookup } from 'node:dns/promises';
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { type Address, isInside, type Network, parseAddress, parseNetwork } from '../kit/address.ts';
import { whileLive } from './while-live.ts';

export interface HostRules {
  resolve(host: string): Promise<string[]>;
  isAllowed(address: Address): boolean;
  /** Trusted certificate authorities; undefined: the default ones. */
  authorities?: string | undefined;
}

export const publicHosts: HostRules = {
  resolve: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  isAllowed: isPublicAddress,
};

const MAX_INTERIM = 10;

/** Undefined if the host has no address, or one that is not allowed. */
export async function allowedAddress(url: URL, rules: HostRules, signal: AbortSignal): Promise<string | undefined> {
  const host = bareHost(url);
  // Empty if the lookup fails: a client must not learn which names exist in our network.
  const resolve = () => rules.resolve(host).catch(() => []);
  const addresses = parseAddress(host) ? [host] : await whileLive(resolve(), signal);
  const parsed = addresses.map((address) => parseAddress(address));
  return parsed.every((address) => address && rules.isAllowed(address)) ? addresses[0] : undefined;
}

/** An IPv6 address without its brackets. */
export function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

interface GuardedOptions extends RequestOptions {
  /** The one that was checked. */
  address: string;
  rules: HostRules;
  signal: AbortSignal;
}

/**
 * A request that connects to this address; the caller ends it. The server can switch to another protocol, which closes the
 * request without an error, or send interim responses until a timeout: both end it as a failure. `ask`: `request` of node:http
 * or node:https, which are loaded with the first call, because they are expensive in memory at start.
 */
export function guardedRequest(
  ask: (url: URL, options: RequestOptions, answered: (response: IncomingMessage) => void) => ClientRequest,
  url: URL,
  { address, rules: { authorities }, ...options }: GuardedOptions,
  answered: (response: IncomingMessage) => void,
  reject: (error: Error) => void,
): ClientRequest {
  const family = address.includes(':') ? 6 : 4;
  let interim = 0;
  let isAnswered = false;
  const request = ask(
    url,
    {
      ...options,
      lookup: (_host, { all }, found) => (all ? found(null, [{ address, family }]) : found(null, address, family)),
      agent: false,
      ...(authorities === undefined ? {} : { ca: authorities }),
    },
    (response) => {
      isAnswered = true;
      answered(response);
    },
  );
  request.on('information', () => {
    if (++interim > MAX_INTERIM) request.destroy(new Error('too many interim responses'));
  });
  request.on('error', reject);
  request.on('close', () => {
    if (!isAnswered) reject(new Error('closed without an answer'));
  });
  return request;
}

/** Clouds also serve metadata and internal services at some addresses that registries list as public. */
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

/**
 * All addresses are on the public internet but private, loopback, link-local, carrier, test and multicast ranges, and notations
 * that embed one of those.
 */
export function isPublicAddress(address: Address): boolean {
  if (address.family === 4) return !RESERVED.some((range) => isInside(address, range));
  return isInside(address, GLOBAL_V6) && !RESERVED_V6.some((range) => isInside(address, range));
}

function network(text: string): Network {
  const parsed = parseNetwork(text);
  if (!parsed) throw new Error(`not a network: ${text}`);
  return parsed;
}
