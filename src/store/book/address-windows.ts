// The windows of client addresses, by purpose. Only these contain an address, as a keyed hash, and they are deleted after
// two days. Every limit by address must use one of them.

export const ADDRESS_WINDOWS = ['free', 'redeem', 'register'] as const;

export function addressWindow(limits: (typeof ADDRESS_WINDOWS)[number], address: string): string {
  return `${limits}:address:${address}`;
}
