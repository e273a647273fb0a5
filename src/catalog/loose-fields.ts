// For unchecked documents: a value that is not a list or an object counts as empty.

export type Fields = Record<string, unknown>;

/** A copy. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
