// How a key of this service begins, for whoever must tell one from a provider's by its look alone.

export const OWN_KEY_PREFIX = 'sk-svc-';

export function isOwnKey(text: string): boolean {
  return text.startsWith(OWN_KEY_PREFIX);
}
