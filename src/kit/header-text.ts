// Checks that a header can carry a value. With any other value the call would fail like a network error.

/** Latin-1 without control characters. White space at the end is trimmed when it is sent. */
const HEADER_TEXT = /^[\t\x20-\x7e\x80-\xff]*[\t\r\n ]*$/;

export function isHeaderText(text: string): boolean {
  return HEADER_TEXT.test(text);
}

/** A secret as it is used: JSON credentials of several lines are joined to one line. */
export function secretText(text: string): string {
  if (!text.trimStart().startsWith('{')) return text;
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}
