// The id by which a gateway recognises its own calls: the same on all nodes, and meaningless to others.

import { createHasher } from '../../kit/sealed.ts';

const CHARS = 16;

export function createGatewayId(pepper: string): string {
  return createHasher(pepper, 'gateway')('id').slice(0, CHARS);
}
