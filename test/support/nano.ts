/** Decimal NT$ text as nano-NT$, without a float in between. */
export function nano(text: string | null): bigint {
  const match = /^(\d+)(?:\.(\d{1,9}))?$/.exec(text ?? '');
  if (!match) throw new Error(`not an amount: ${text}`);
  return BigInt(match[1] ?? '') * 1_000_000_000n + BigInt((match[2] ?? '').padEnd(9, '0'));
}
