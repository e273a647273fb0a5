// The prefix of this service's keys, to distinguish them from a provider's.

export const OWN_KEY_PREFIX = 'sk-svc-';

export function isOwnKey(text: string): boolean {
  return text.startsWith(OWN_KEY_PREFIX);
}
