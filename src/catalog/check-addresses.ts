// Addresses of upstreams hold no secret: they are stored and exported as they are. And none stands where nobody asks it. What
// is stored already is only warned of: it must not stand in the way of switching another channel off.

import type { DocumentFault } from './check-references.ts';
import type { Document } from './document.ts';

interface Addressed {
  name: string;
  kind: string;
  base_url?: string | null | undefined;
  anthropic_base_url?: string | null | undefined;
}

const FIELDS = ['base_url', 'anthropic_base_url'] as const;
const USER_INFO = 'user info (the part before "@")';

interface Trouble {
  isOf(kind: string, field: (typeof FIELDS)[number], url: string): boolean;
  fault: string;
  warning: string;
}

const TROUBLES: readonly Trouble[] = [
  {
    isOf: (_kind, _field, url) => hasUserInfo(url),
    fault: `must have no ${USER_INFO}: put the key into api_key`,
    warning: `has ${USER_INFO}, which is stored and exported as it is; a new or changed address with it is refused`,
  },
  {
    isOf: (kind, field) => field === 'anthropic_base_url' && kind !== 'openai',
    fault: 'only a channel of kind openai may have it',
    warning: 'is never asked, as only a channel of kind openai may have it; a new or changed one is refused',
  },
];

/** `readBefore` gives the document that this one comes after: it is asked only if there is something to compare. */
export function checkAddresses(
  { channels }: Document,
  readBefore: () => Pick<Document, 'channels'> | undefined,
): DocumentFault[] {
  const found = findTroubles(channels);
  if (found.length === 0) return [];
  const before = new Set(findTroubles(readBefore()?.channels ?? []).map(({ sign }) => sign));
  return found.filter(({ sign }) => !before.has(sign)).map(({ path, fault }) => ({ path, message: fault }));
}

export function warnAddresses(channels: readonly Addressed[]): DocumentFault[] {
  return findTroubles(channels).map(({ path, warning }) => ({ path, message: warning }));
}

function findTroubles(channels: readonly Addressed[]) {
  return channels.flatMap(({ name, kind, ...channel }, index) =>
    FIELDS.flatMap((field) => {
      const url = channel[field];
      return TROUBLES.filter(({ isOf }) => url && isOf(kind, field, url)).map(({ fault, warning }) => ({
        fault,
        warning,
        path: `channels[${index}].${field}`,
        // The same in two documents, wherever the channel stands in them.
        sign: JSON.stringify([name, field, url, fault]),
      }));
    }),
  );
}

function hasUserInfo(url: string): boolean {
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}
