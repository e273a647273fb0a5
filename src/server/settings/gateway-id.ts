// The name under which a gateway recognises its own calls. All nodes of one gateway have the same, and it tells nothing.

import { createHasher } from '../../kit/sealed.ts';

const CHARS = 16;

export function createGatewayId(pepper: string): string {
  return createHasher(pepper, 'gateway')('id').slice(0, CHARS);
}
