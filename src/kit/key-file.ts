// A channel's key in a file, as `file:PATH` says: read by who needs the key, and by who tells why there is none.

import { readFileSync } from 'node:fs';
import { fileTrouble } from './file-trouble.ts';

const PREFIX = 'file:';

export type KeyFile = { key: string; trouble?: undefined } | { key?: undefined; trouble: string };

/** Undefined where the reference leads to no file. */
export function readKeyFile(secret: string | undefined): KeyFile | undefined {
  if (!secret?.startsWith(PREFIX)) return undefined;
  const path = secret.slice(PREFIX.length);
  try {
    const key = readFileSync(path, 'utf8').trim();
    return key ? { key } : { trouble: `${path} is empty` };
  } catch (error) {
    return { trouble: `cannot read ${path}: ${fileTrouble(error)}` };
  }
}
