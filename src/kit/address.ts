// IP addresses as bits, so that one client has one spelling: IPv4-mapped IPv6 is IPv4, IPv6 counts by /64.

export interface Address {
  bits: bigint;
  family: 4 | 6;
}

export interface Network extends Address {
  prefix: number;
}

export function parseAddress(text: string): Address | undefined {
  if (!text.includes(':')) {
    const bits = parseV4(text);
    return bits === undefined ? undefined : { bits, family: 4 };
  }
  const bits = parseV6(text.replace(/%.*$/, ''));
  if (bits === undefined) return undefined;
  return bits >> 32n === 0xffffn ? { bits: bits & 0xffffffffn, family: 4 } : { bits, family: 6 };
}

export function parseNetwork(text: string): Network | undefined {
  const [host = '', prefixText, ...rest] = text.trim().split('/');
  const address = parseAddress(host);
  if (!address || rest.length > 0) return undefined;
  const width = address.family === 4 ? 32 : 128;
  if (prefixText === undefined) return { ...address, prefix: width };
  if (!/^\d{1,3}$/.test(prefixText)) return undefined;
  const mapped = address.family === 4 && host.includes(':');
  const prefix = Number(prefixText) - (mapped ? 96 : 0);
  return prefix < 0 || prefix > width ? undefined : { ...address, prefix };
}

export function isInside(address: Address, network: Network): boolean {
  if (address.family !== network.family) return false;
  const shift = BigInt((network.family === 4 ? 32 : 128) - network.prefix);
  return address.bits >> shift === network.bits >> shift;
}

/** The subject of limits: an IPv4 address, or the /64 of an IPv6 address. */
export function limitSubject({ bits, family }: Address): string {
  return family === 4 ? `4:${bits.toString(16)}` : `6:${(bits >> 64n).toString(16)}`;
}

/** Wider networks of an IPv6 address: providers assign a /56 to a customer and a /48 to a site. IPv4 has none. */
const WIDER_PREFIXES = [56, 48] as const;

interface WiderNetwork {
  prefix: (typeof WIDER_PREFIXES)[number];
  /** The address that limits count by. */
  subject: string;
}

export function widerNetworks({ bits, family }: Address): WiderNetwork[] {
  if (family === 4) return [];
  return WIDER_PREFIXES.map((prefix) => ({
    prefix,
    subject: `6/${prefix}:${(bits >> BigInt(128 - prefix)).toString(16)}`,
  }));
}

function parseV4(text: string): bigint | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  let bits = 0n;
  for (const part of parts) {
    if (!/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return undefined;
    bits = (bits << 8n) | BigInt(part);
  }
  return bits;
}

function parseV6(text: string): bigint | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half, index) => parseGroups(half, index === halves.length - 1));
  if (!head || (halves.length === 2 && !tail)) return undefined;
  const missing = 8 - head.length - (tail?.length ?? 0);
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...head, ...Array.from({ length: missing }, () => 0n), ...(tail ?? [])];
  return groups.reduce((bits, group) => (bits << 16n) | group, 0n);
}

/** Only the end of an address may be written as IPv4. */
function parseGroups(text: string, isEnd: boolean): bigint[] | undefined {
  if (text === '') return [];
  const groups: bigint[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (part.includes('.')) {
      const v4 = isEnd && index === parts.length - 1 ? parseV4(part) : undefined;
      if (v4 === undefined) return undefined;
      groups.push(v4 >> 16n, v4 & 0xffffn);
    } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) groups.push(BigInt(`0x${part}`));
    else return undefined;
  }
  return groups;
}
