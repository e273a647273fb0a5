// What an error says about itself, whatever was thrown.

/** Of the system, the network, a driver or TLS: `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown error';
}
