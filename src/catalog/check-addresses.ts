// Checks upstream addresses: no secrets, because they are stored and exported in plain text, and no address that is
// never used. Stored ones only cause a warning, so that another channel can still be switched off.

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
  matches(kind: string, field: (typeof FIELDS)[number], url: string): boolean;
  fault: string;
  warning: string;
}

const TROUBLES: readonly Trouble[] = [
  {
    matches: (_kind, _field, url) => hasUserInfo(url),
    fault: `must have no ${USER_INFO}: put the key into api_key`,
    warning: `has ${USER_INFO}, which is stored and exported as it is; a new or changed address with it is refused`,
  },
  {
    matches: (kind, field) => field === 'anthropic_base_url' && kind !== 'openai',
    fault: 'only a channel of kind openai may have it',
    warning: 'is never used: only a channel of kind openai may have it; a new or changed one is refused',
  },
];

/** `readBefore` returns the previous document; called only if there is something to compare. */
export function checkAddresses(
  { channels }: Document,
  readBefore: () => Pick<Document, 'channels'> | undefined,
): DocumentFault[] {
  const found = findTroubles(channels);
  if (found.length === 0) return [];
  const before = new Set(findTroubles(readBefore()?.channels ?? []).map(({ signature }) => signature));
  return found.filter(({ signature }) => !before.has(signature)).map(({ path, fault }) => ({ path, message: fault }));
}

export function warnAddresses(channels: readonly Addressed[]): DocumentFault[] {
  return findTroubles(channels).map(({ path, warning }) => ({ path, message: warning }));
}

function findTroubles(channels: readonly Addressed[]) {
  return channels.flatMap(({ name, kind, ...channel }, index) =>
    FIELDS.flatMap((field) => {
      const url = channel[field];
      return TROUBLES.filter(({ matches }) => url && matches(kind, field, url)).map(({ fault, warning }) => ({
        fault,
        warning,
        path: `channels[${index}].${field}`,
        // Independent of the channel's position in the document.
        signature: JSON.stringify([name, field, url, fault]),
      }));
    }),
  );
}

function hasUserInfo(url: string): boolean {
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}
