// Keys that could never open anything: a literal that no header can carry, a reference without a name. Asked of new documents
// only; a reference that is stored already stays, so that it does not stand in the way of switching another channel off.

import { isHeaderText } from '../kit/header-text.ts';
import type { DocumentFault } from './check-references.ts';
import type { Document } from './document.ts';
import { isReference } from './document-secrets.ts';

export const NOT_CARRIED = 'characters that no header can carry';

const NAMELESS: Readonly<Record<string, string>> = {
  'env:': 'names no variable: write env:NAME',
  'file:': 'names no file: write file:PATH',
};

/** `readBefore` gives the document that this one comes after: it is asked only if there is something to compare. */
export function checkSecrets(
  { channels }: Document,
  readBefore: () => Pick<Document, 'channels'> | undefined,
): DocumentFault[] {
  return channels.flatMap(({ name, api_key: secret }, index) => {
    const message = secret === undefined ? undefined : faultOf(secret);
    if (message === undefined) return [];
    const isStored = readBefore()?.channels.some((one) => one.name === name && one.api_key === secret);
    return isStored ? [] : [{ path: `channels[${index}].api_key`, message }];
  });
}

function faultOf(secret: string): string | undefined {
  if (isReference(secret)) return NAMELESS[secret];
  return isHeaderText(secret)
    ? undefined
    : `has ${NOT_CARRIED}: line ends and other control characters, or letters beyond U+00FF`;
}
