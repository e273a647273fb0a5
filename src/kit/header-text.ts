// What the value of a header can carry. Asked before it is sent: a call with another value fails as if the network had.

/** No control characters inside, and of other writing only what one byte holds. White space at the end is cut off on the way. */
const HEADER_TEXT = /^[\t\x20-\x7e\x80-\xff]*[\t\r\n ]*$/;

export function isHeaderText(text: string): boolean {
  return HEADER_TEXT.test(text);
}
