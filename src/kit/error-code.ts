// Reads properties of anything thrown.

/** The code of a system, network, driver or TLS error: `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown error';
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ENOTDIR: 'it does not exist',
  EISDIR: 'it is a folder',
  EACCES: 'no permission',
  EPERM: 'no permission',
};

/** Why a file cannot be read. */
export function fileProblem(error: unknown): string {
  return REASONS[codeOf(error) ?? ''] ?? 'reading failed';
}
