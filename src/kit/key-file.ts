// Reads a channel's key from a file (`file:PATH`), or why it cannot be read.

import { readFileSync } from 'node:fs';
import { fileProblem } from './error-code.ts';

const PREFIX = 'file:';

type KeyFile = { key: string; problem?: undefined } | { key?: undefined; problem: string };

/** Undefined if it is not a file reference. */
export function readKeyFile(secret: string | undefined): KeyFile | undefined {
  if (!secret?.startsWith(PREFIX)) return undefined;
  const path = secret.slice(PREFIX.length);
  try {
    const key = readFileSync(path, 'utf8').trim();
    return key ? { key } : { problem: `${path} is empty` };
  } catch (error) {
    return { problem: `cannot read ${path}: ${fileProblem(error)}` };
  }
}
