// Explains why a file cannot be read.

import { codeOf } from './error-code.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ENOTDIR: 'it does not exist',
  EISDIR: 'it is a folder',
  EACCES: 'no permission',
  EPERM: 'no permission',
};

export function fileTrouble(error: unknown): string {
  return REASONS[codeOf(error) ?? ''] ?? 'reading failed';
}
