// Rules for names and passwords of the site. Names are compared in lower case and in normal width: an input method may
// leave them full-width.

export const MIN_PASSWORD_CHARS = 12;
export const MAX_PASSWORD_BYTES = 1_024;
const NAME = /^[a-z0-9._-]{3,40}$/;

export function normalName(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase();
}

export function isAllowedName(name: string): boolean {
  return NAME.test(name);
}
