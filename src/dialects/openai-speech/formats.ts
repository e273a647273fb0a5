// The audio formats of speech: their content types, and about how many bytes a second of speech has.

export interface AudioFormat {
  type: string;
  bytesPerSecond: number;
}

const FORMATS = new Map<string, AudioFormat>([
  ['mp3', { type: 'audio/mpeg', bytesPerSecond: 16_000 }],
  ['opus', { type: 'audio/ogg', bytesPerSecond: 6_000 }],
  ['aac', { type: 'audio/aac', bytesPerSecond: 12_000 }],
  ['flac', { type: 'audio/flac', bytesPerSecond: 28_000 }],
  ['wav', { type: 'audio/wav', bytesPerSecond: 48_000 }],
  ['pcm', { type: 'audio/pcm', bytesPerSecond: 48_000 }],
]);

const DEFAULT = 'mp3';
export const FORMAT_NAMES: readonly string[] = [...FORMATS.keys()];
export const AUDIO_TYPES: readonly string[] = [...FORMATS.values()].map(({ type }) => type);

/** Undefined if there is no such format. */
export function findFormat(name: unknown): AudioFormat | undefined {
  if (name === undefined || name === null) return FORMATS.get(DEFAULT);
  return typeof name === 'string' ? FORMATS.get(name) : undefined;
}

/** Tokens that common models count for a second of speech. */
const TOKENS_PER_SECOND = 20;

export function audioTokens(bytes: number, { bytesPerSecond }: AudioFormat): number {
  return (bytes / bytesPerSecond) * TOKENS_PER_SECOND;
}
