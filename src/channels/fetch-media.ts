// Fetches images and documents that a client links to, for upstreams that do not fetch them. A URL chosen by a client
// could reach our own network unless every step is checked: only https, one DNS lookup, a connection to exactly the
// checked address, no redirects, and limits on size and time.

import { Fault, fault } from '../faults/fault.ts';
import type { Clock } from '../kit/clock.ts';
import { allowedAddress, guardedRequest, type HostRules, publicHosts } from './public-host.ts';

interface MediaAddress {
  url: string;
  /** The path in the client's body. */
  at: string;
}

interface Media {
  mediaType: string;
  /** In base64. */
  data: string;
}

export interface MediaOptions extends HostRules {
  /** For all media of one request. */
  maxBytes: number;
  timeoutMs: number;
}

/** `grow` is called before a chunk is kept, and throws if this process has no capacity for it. */
export type FetchMedia = (
  wanted: readonly MediaAddress[],
  signal: AbortSignal,
  grow: (bytes: number) => void,
) => Promise<Map<string, Media>>;

const MAX_MEDIA = 20;

export const publicMedia: MediaOptions = {
  ...publicHosts,
  maxBytes: 20 * 1024 * 1024,
  timeoutMs: 10_000,
};

/** Returns the media by URL. Throws a fault that names the part. */
export function createFetchMedia(clock: Clock, options: MediaOptions = publicMedia): FetchMedia {
  return async (wanted, signal, grow) => {
    const [tooMuch] = wanted.slice(MAX_MEDIA);
    if (tooMuch) throw refusal(tooMuch, `at most ${MAX_MEDIA} can be fetched for one request`);
    const late = new AbortController();
    const cancel = clock.after(options.timeoutMs, () => late.abort());
    const limited = AbortSignal.any([signal, late.signal]);
    const takeBytes = createByteLimit(options.maxBytes, grow);
    const fetchNamed = async (address: MediaAddress) => {
      try {
        return [address.url, await fetchOne(address.url, options, takeBytes, limited)] as const;
      } catch (error) {
        if (signal.aborted || error instanceof Fault) throw error;
        throw refusal(address, error instanceof Refused ? error.message : 'it could not be fetched');
      }
    };
    try {
      const once = new Map(wanted.map((address) => [address.url, address]));
      return new Map(await Promise.all([...once.values()].map(fetchNamed)));
    } finally {
      cancel();
      // If one fails, the others are not needed.
      late.abort();
    }
  };
}

class Refused extends Error {
  override name = 'Refused';
}

/** Throws if the bytes exceed the limit. */
type ByteLimit = (bytes: number) => void;

function createByteLimit(maxBytes: number, grow: (bytes: number) => void): ByteLimit {
  let left = maxBytes;
  return (bytes) => {
    left -= bytes;
    if (left < 0) throw new Refused(`at most ${maxBytes} bytes are fetched for one request`);
    grow(bytes);
  };
}

function refusal({ at }: MediaAddress, why: string): Fault {
  return fault('invalid_request', { param: at, message: `${at} could not be downloaded: ${why}. Send it as base64.` });
}

async function fetchOne(
  text: string,
  options: MediaOptions,
  takeBytes: ByteLimit,
  signal: AbortSignal,
): Promise<Media> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:') throw new Refused('only https addresses are fetched');
  if (url.username !== '' || url.password !== '') throw new Refused('addresses with a user name are not fetched');
  const address = await allowedAddress(url, options, signal);
  if (address === undefined) throw new Refused('its host has no address, or one that is not on the public internet');
  return download(url, address, options, takeBytes, signal);
}

async function download(
  url: URL,
  address: string,
  options: MediaOptions,
  takeBytes: ByteLimit,
  signal: AbortSignal,
): Promise<Media> {
  const { request: ask } = await import('node:https');
  return new Promise((resolve, reject) => {
    const headers = {
      accept: 'image/*, application/pdf',
      'accept-encoding': 'identity',
      'user-agent': 'ai-gateway-service',
    };
    const request = guardedRequest(
      ask,
      url,
      { address, rules: options, headers, signal },
      (response) => {
        const refuse = (why: unknown) => {
          reject(why);
          request.destroy();
        };
        if (response.statusCode !== 200) return refuse(new Refused('its server refused it'));
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => {
          try {
            takeBytes(chunk.byteLength);
            chunks.push(chunk);
          } catch (error) {
            refuse(error);
          }
        });
        response.on('error', reject);
        response.on('aborted', () => reject(new Refused('its server closed the connection')));
        response.on('end', () => {
          const mediaType = (response.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
          resolve({ mediaType, data: Buffer.concat(chunks).toString('base64') });
        });
      },
      reject,
    );
    request.end();
  });
}
