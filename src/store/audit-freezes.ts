// Marks wallets that were frozen because they do not agree with their entries. What an operator froze has no mark.

export function auditFreezeName(accountId: string): string {
  return `frozen_by_audit:${accountId}`;
}
