// The URL of a webhook, as far as it can be judged without a lookup: names are resolved and checked with each delivery.

import { bareHost, isPublicAddress } from '../../channels/public-host.ts';
import { parseAddress } from '../../kit/address.ts';

export interface UrlRules {
  /** Any http or https address, also in our own network. */
  allowsPrivate: boolean;
}

export const MAX_URL_CHARS = 2_048;
/** Names that exist only inside a network. */
const INTERNAL_NAME = /(^|\.)(localhost|local|internal|localdomain|home\.arpa)\.?$/i;

/** Why it is refused; undefined if it is not. */
export function refuseUrl(text: string, { allowsPrivate }: UrlRules): string | undefined {
  const kinds = allowsPrivate ? 'an http or https' : 'an https';
  if (text.length > MAX_URL_CHARS) return `url must have at most ${MAX_URL_CHARS} characters.`;
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return `url must be ${kinds} URL.`;
  const url = new URL(text);
  if (url.protocol !== 'https:' && !allowsPrivate) return `url must be ${kinds} URL.`;
  if (url.username !== '' || url.password !== '') return 'url must have no user name and no password.';
  if (url.hash !== '') return 'url must have no fragment.';
  if (!allowsPrivate && isInternal(bareHost(url))) return 'url must name a host on the public internet.';
  return undefined;
}

function isInternal(host: string): boolean {
  const address = parseAddress(host);
  if (address) return !isPublicAddress(address);
  return !host.replace(/\.$/, '').includes('.') || INTERNAL_NAME.test(host);
}
