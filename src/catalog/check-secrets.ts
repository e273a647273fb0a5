// Refuses keys that cannot work: a literal that no header can carry, a reference without a name. Checks new documents
// only; a stored reference stays, so that another channel can still be switched off.

import { isHeaderText, secretText } from '../kit/header-text.ts';
import type { DocumentFault } from './check-references.ts';
import type { Document } from './document.ts';
import { isReference } from './document-secrets.ts';

export const NOT_CARRIED = 'characters that no header can carry';

const MISSING_NAME: Readonly<Record<string, string>> = {
  'env:': 'names no variable: write env:NAME',
  'file:': 'names no file: write file:PATH',
};

/** `readBefore` returns the previous document; called only if there is something to compare. */
export function checkSecrets(
  { channels }: Document,
  readBefore: () => Pick<Document, 'channels'> | undefined,
): DocumentFault[] {
  return channels.flatMap(({ name, api_key: secret }, index) => {
    const message = secret === undefined ? undefined : faultOf(secret);
    if (message === undefined) return [];
    const isStored = readBefore()?.channels.some((stored) => stored.name === name && stored.api_key === secret);
    return isStored ? [] : [{ path: `channels[${index}].api_key`, message }];
  });
}

function faultOf(secret: string): string | undefined {
  if (isReference(secret)) return MISSING_NAME[secret];
  return isHeaderText(secretText(secret))
    ? undefined
    : `has ${NOT_CARRIED}: line ends and other control characters, or letters beyond U+00FF`;
}
