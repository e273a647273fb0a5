// The windows of addresses, by what they limit. They are the only ones that name an address, as a keyed hash, and are
// forgotten after two days: whatever counts by address counts in one of these.

export const ADDRESS_WINDOWS = ['free', 'redeem', 'register'] as const;

export function addressWindow(limits: (typeof ADDRESS_WINDOWS)[number], address: string): string {
  return `${limits}:address:${address}`;
}
