// Detects the media type of base64 by its first bytes: names and declared types are guesses of clients.

const HEAD_CHARS = 64;

const IMAGE_HEADS: readonly (readonly [type: string, head: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
  ['image/svg+xml', /^(\xef\xbb\xbf)?\s*<(\?xml|svg|!DOCTYPE svg)/i],
];

/** Undefined if it is unknown. */
export function sniffImageType(base64: string): string | undefined {
  const head = headOf(base64);
  return IMAGE_HEADS.find(([, pattern]) => pattern.test(head))?.[0];
}

export function isPdf({ mediaType, data }: { mediaType: string; data: string }): boolean {
  return /^application\/pdf\b/i.test(mediaType) || headOf(data).startsWith('%PDF-');
}

function headOf(base64: string): string {
  return Buffer.from(base64.slice(0, HEAD_CHARS), 'base64').toString('latin1');
}
