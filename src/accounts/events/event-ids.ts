// Public ids of events. An id is the number of the event, encrypted with a key that all nodes share: it works as a cursor, and
// nobody learns from it how many events other accounts have.

import { createCipheriv, createDecipheriv } from 'node:crypto';
import { deriveSecret } from '../../kit/sealed.ts';

export interface EventIds {
  write(eventId: number): string;
  /** Undefined if this service did not write the id. */
  read(id: string): number | undefined;
}

const ALGORITHM = 'aes-256-ecb';
/** One block, of which the number is the second half and the first is zero. */
const BLOCK_BYTES = 16;
const SHAPE = /^evt_([0-9a-f]{32})$/;

export function createEventIds(pepper: string): EventIds {
  const key = deriveSecret(pepper, 'event');
  return {
    write(eventId) {
      const block = Buffer.alloc(BLOCK_BYTES);
      block.writeBigUInt64BE(BigInt(eventId), BLOCK_BYTES / 2);
      return `evt_${createCipheriv(ALGORITHM, key, null).setAutoPadding(false).update(block).toString('hex')}`;
    },
    read(id) {
      const hex = SHAPE.exec(id)?.[1];
      if (hex === undefined) return undefined;
      const block = createDecipheriv(ALGORITHM, key, null).setAutoPadding(false).update(hex, 'hex');
      return block.readBigUInt64BE(0) === 0n ? Number(block.readBigUInt64BE(BLOCK_BYTES / 2)) : undefined;
    },
  };
}
