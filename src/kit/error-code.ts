// Reads properties of anything thrown.

/** The code of a system, network, driver or TLS error: `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown error';
}
