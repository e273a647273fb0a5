// A broken invariant. Its name is the same in every run; the detail tells which row, request or answer breaks it.

export interface Violation {
  invariant: string;
  detail: string;
}

export function violations(invariant: string, details: readonly string[]): Violation[] {
  return details.map((detail) => ({ invariant, detail }));
}

export function describeViolation({ invariant, detail }: Violation): string {
  return `${invariant}: ${detail}`;
}
