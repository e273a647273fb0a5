// Images and files that clients put into a request as data. Their type is read from their bytes, because labels may be wrong.

import { refuseField } from '../fields.ts';
import type { DocumentPart, MediaSource } from '../translate/conversation.ts';

interface Data {
  /** The type in its label; empty without one. */
  mediaType: string;
  base64: string;
}

/** The most characters of a label with its options; longer ones are not labels. */
const MAX_HEAD_CHARS = 1_000;
const TEXT_TYPES = /^(text\/|application\/(json|xml|yaml|x-yaml|toml|javascript|x-ndjson|x-sh)\b)/;
/** Labels without a type: then the file name decides. */
const GENERIC_LABELS = new Set(['', 'application/octet-stream']);
const TEXT_NAMES =
  /\.(txt|md|markdown|csv|tsv|json|jsonl|xml|ya?ml|toml|html?|css|[cm]?[jt]sx?|py|rs|go|java|c|h|cpp|sh|sql|log)$/i;

const MAX_ENDING_CHARS = 20;

/** From a `data:` or a web address. */
export function readImage(url: string, at: string): MediaSource {
  if (/^https?:\/\//i.test(url)) return { kind: 'url', url };
  const data = readDataUrl(url);
  if (!data) refuseField(at, `${at} must be an https URL, or a data: URL with base64.`);
  return imageOfBytes(data, at);
}

export function imageOfBytes({ mediaType, base64 }: Data, at: string): MediaSource {
  const type = sniffImageType(base64) ?? (mediaType === 'image/jpg' ? 'image/jpeg' : mediaType);
  if (!type.startsWith('image/') || type.startsWith('image/svg')) {
    refuseField(at, `${at} is ${type || 'no known image type'}. Send it as PNG, JPEG, GIF or WebP.`);
  }
  return { kind: 'base64', mediaType: type, data: base64 };
}

/** A file given as a `data:` address or as bare base64: a PDF stays one, text becomes text. */
export function readDocument(file: string, name: string | undefined, at: string): DocumentPart {
  const data = readDataUrl(file) ?? bareBase64(file);
  if (!data) refuseField(at, `${at} must be a data: URL with base64.`);
  const title = name === undefined ? {} : { title: name };
  if (isPdf({ mediaType: data.mediaType, data: data.base64 })) {
    const source = { kind: 'base64', mediaType: 'application/pdf', data: data.base64 } as const;
    return { type: 'document', source, ...title, at };
  }
  if (
    !TEXT_TYPES.test(data.mediaType) &&
    !(GENERIC_LABELS.has(data.mediaType) && TEXT_NAMES.test((name ?? '').slice(-MAX_ENDING_CHARS)))
  ) {
    refuseField(at, `This model accepts only PDF and text files (${at}). Send it as one of these.`);
  }
  return { type: 'document', source: { kind: 'text', text: decodeText(data.base64, at) }, ...title, at };
}

function readDataUrl(url: string): Data | undefined {
  const head = readDataHead(url);
  if (!head || head.chars > MAX_HEAD_CHARS) return undefined;
  const body = url.slice(head.chars);
  const base64 = head.isBase64 ? plainBase64(body) : encodePercent(body);
  return base64 === undefined ? undefined : { mediaType: head.mediaType.trim().toLowerCase(), base64 };
}

function bareBase64(text: string): Data | undefined {
  const base64 = plainBase64(text);
  return base64 === undefined ? undefined : { mediaType: '', base64 };
}

/** Converts base64 of either alphabet, with line breaks, to the standard alphabet, which every upstream accepts. */
function plainBase64(text: string): string | undefined {
  const alphabet = text.includes('-') || text.includes('_') ? 'base64url' : 'base64';
  try {
    const bytes = Uint8Array.fromBase64(text, { alphabet });
    if (bytes.length === 0) return undefined;
    // Most need no change, and they may be as long as a body: they are not copied unless necessary.
    const isPlain = alphabet === 'base64' && text.length % 4 === 0 && !/\s/.test(text);
    return isPlain ? text : bytes.toBase64();
  } catch {
    return undefined;
  }
}

function encodePercent(text: string): string | undefined {
  try {
    return Buffer.from(decodeURIComponent(text)).toString('base64');
  } catch {
    return undefined;
  }
}

function decodeText(base64: string, at: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'));
  } catch {
    return refuseField(at, `${at} is not valid UTF-8. Send it as UTF-8 text.`);
  }
}

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

interface DataHead {
  /** As it is written; empty if it has none. */
  mediaType: string;
  isBase64: boolean;
  /** With its comma: the data begin there. */
  chars: number;
}

const SCHEME = 'data:';
const BASE64 = ';base64';

/**
 * Reads the head of a `data:` URL, which is the part before its first comma; undefined if the text is no such address. The URL
 * may be as long as a body, so no pattern is applied to it: backtracking would block other requests.
 */
export function readDataHead(address: string): DataHead | undefined {
  if (address.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return undefined;
  const comma = address.indexOf(',');
  if (comma === -1) return undefined;
  const label = address.slice(SCHEME.length, comma);
  const options = label.indexOf(';');
  return {
    mediaType: options === -1 ? label : label.slice(0, options),
    isBase64: label.slice(-BASE64.length).toLowerCase() === BASE64,
    chars: comma + 1,
  };
}

export function addressOf(source: MediaSource): string {
  return source.kind === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;
}
