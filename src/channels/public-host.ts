// The address of a host that a client chose. Such a host could be in our own network, so every address that its name
// resolves to is checked, and the connection then goes to exactly that address: a second lookup could return another.

import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { type Address, parseAddress } from '../kit/address.ts';
import { isPublicAddress } from './public-address.ts';
import { whileLive } from './while-live.ts';

export interface HostRules {
  resolve(host: string): Promise<string[]>;
  isAllowed(address: Address): boolean;
}

export const publicHosts: HostRules = {
  resolve: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  isAllowed: isPublicAddress,
};

/** Undefined if the host has no address, or one that is not allowed. */
export async function allowedAddress(url: URL, rules: HostRules, signal: AbortSignal): Promise<string | undefined> {
  const host = bareHost(url);
  const addresses = parseAddress(host) ? [host] : await whileLive(addressesOf(host, rules), signal);
  const parsed = addresses.map((address) => parseAddress(address));
  return parsed.every((address) => address && rules.isAllowed(address)) ? addresses[0] : undefined;
}

/** An IPv6 address without its brackets. */
export function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** For a request that must connect to this address. */
export function lookupOf(address: string): LookupFunction {
  const family = address.includes(':') ? 6 : 4;
  return (_host, { all }, found) => (all ? found(null, [{ address, family }]) : found(null, address, family));
}

/** Empty if the lookup fails: a client must not learn which names exist in our network. */
function addressesOf(host: string, { resolve }: HostRules): Promise<string[]> {
  return resolve(host).catch(() => []);
}
