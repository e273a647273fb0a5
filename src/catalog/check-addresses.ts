// Addresses of upstreams hold no secret: they are stored and exported as they are. Asked of new documents only, as a stored
// one keeps the service going.

import type { DocumentFault } from './check-references.ts';
import type { Document } from './document.ts';

export function checkAddresses({ channels }: Document): DocumentFault[] {
  return channels.flatMap((channel, index) =>
    (['base_url', 'anthropic_base_url'] as const).flatMap((field) => {
      if (!hasUserInfo(channel[field])) return [];
      const message = 'must have no user info (the part before "@"): put the key into api_key';
      return [{ path: `channels[${index}].${field}`, message }];
    }),
  );
}

function hasUserInfo(url: string | null | undefined): boolean {
  if (!url) return false;
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}
