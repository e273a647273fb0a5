// Addresses of upstreams hold no secret: they are stored and exported as they are. One that is stored already is only warned
// of: it must not stand in the way of switching another channel off.

import type { DocumentFault } from './check-references.ts';
import type { Document } from './document.ts';

interface Addressed {
  name: string;
  base_url?: string | null | undefined;
  anthropic_base_url?: string | null | undefined;
}

const FIELDS = ['base_url', 'anthropic_base_url'] as const;
const USER_INFO = 'user info (the part before "@")';

/** `readBefore` gives the document that this one comes after: it is asked only if there is something to compare. */
export function checkAddresses(
  { channels }: Document,
  readBefore: () => Pick<Document, 'channels'> | undefined,
): DocumentFault[] {
  const found = findSecrets(channels);
  if (found.length === 0) return [];
  const before = new Map(readBefore()?.channels.map((channel) => [channel.name, channel]));
  return found
    .filter(({ channel, field }) => before.get(channel.name)?.[field] !== channel[field])
    .map(({ path }) => ({ path, message: `must have no ${USER_INFO}: put the key into api_key` }));
}

export function warnAddresses(channels: readonly Addressed[]): DocumentFault[] {
  const message = `has ${USER_INFO}, which is stored and exported as it is; a new or changed address with it is refused`;
  return findSecrets(channels).map(({ path }) => ({ path, message }));
}

function findSecrets<Channel extends Addressed>(channels: readonly Channel[]) {
  return channels.flatMap((channel, index) =>
    FIELDS.filter((field) => hasUserInfo(channel[field])).map((field) => ({
      channel,
      field,
      path: `channels[${index}].${field}`,
    })),
  );
}

function hasUserInfo(url: string | null | undefined): boolean {
  if (!url) return false;
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}
