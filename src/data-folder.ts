// The data folder: the embedded database and the secrets made at first start, readable by this user alone.

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from './kit/random.ts';
import { StoreRefused } from './store/refusal.ts';

export interface DataFolder {
  databaseFile: string;
  pepper: string;
}

const PEPPER_BYTES = 32;

/** Throws StoreRefused with one line for the operator. */
export function openDataFolder(folder: string, givenPepper: string | undefined, random: Random): DataFolder {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return {
      databaseFile: join(folder, 'gateway.sqlite'),
      pepper: givenPepper ?? keptSecret(join(folder, 'pepper'), random),
    };
  } catch (error) {
    if (error instanceof StoreRefused) throw error;
    throw new StoreRefused(
      `cannot use the data folder ${folder}: ${error instanceof Error ? error.message : 'unknown'}`,
    );
  }
}

function keptSecret(file: string, random: Random): string {
  if (!existsSync(file)) {
    writeFileSync(file, `${Buffer.from(random.bytes(PEPPER_BYTES)).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  }
  chmodSync(file, 0o600);
  const secret = readFileSync(file, 'utf8').trim();
  if (secret.length < PEPPER_BYTES)
    throw new StoreRefused(`the pepper in ${file} is damaged: restore it from a backup`);
  return secret;
}
