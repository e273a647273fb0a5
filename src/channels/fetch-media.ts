// Pictures and documents that a client only names, for upstreams that do not fetch them themselves. A name of a client's
// choice is a way into our own network unless every step is checked: https alone, one look-up, a connection to the very
// address that was checked, no redirects, and bounds on size and time.

import { lookup } from 'node:dns/promises';
import { Fault, fault } from '../faults/fault.ts';
import { type Address, parseAddress } from '../kit/address.ts';
import type { Clock } from '../kit/clock.ts';
import { isPublicAddress } from './public-address.ts';

export interface MediaAddress {
  url: string;
  /** Where it stands in the client's body. */
  at: string;
}

export interface Media {
  mediaType: string;
  /** In base64. */
  data: string;
}

export interface MediaOptions {
  resolve(host: string): Promise<string[]>;
  isAllowed(address: Address): boolean;
  /** Who may vouch for a server; undefined: the usual authorities. */
  authorities?: string;
  /** For everything that one request names. */
  maxBytes: number;
  timeoutMs: number;
}

/** `grow` hears of every piece before it is kept, and throws where this process has no room for it. */
export type FetchMedia = (
  wanted: readonly MediaAddress[],
  signal: AbortSignal,
  grow: (bytes: number) => void,
) => Promise<Map<string, Media>>;

const MAX_MEDIA = 20;

export const publicMedia: MediaOptions = {
  resolve: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  isAllowed: isPublicAddress,
  maxBytes: 20 * 1024 * 1024,
  timeoutMs: 10_000,
};

/** The result is by address. Throws a fault that names the part. */
export function createFetchMedia(clock: Clock, options: MediaOptions = publicMedia): FetchMedia {
  return async (wanted, signal, grow) => {
    const [tooMuch] = wanted.slice(MAX_MEDIA);
    if (tooMuch) throw refusal(tooMuch, `at most ${MAX_MEDIA} can be fetched for one request`);
    const late = new AbortController();
    const cancel = clock.after(options.timeoutMs, () => late.abort());
    const limited = AbortSignal.any([signal, late.signal]);
    const room = createRoom(options.maxBytes, grow);
    const fetchNamed = async (one: MediaAddress) => {
      try {
        return [one.url, await fetchOne(one.url, options, room, limited)] as const;
      } catch (error) {
        if (signal.aborted || error instanceof Fault) throw error;
        throw refusal(one, error instanceof Refused ? error.message : 'it could not be fetched');
      }
    };
    try {
      const once = new Map(wanted.map((one) => [one.url, one]));
      return new Map(await Promise.all([...once.values()].map(fetchNamed)));
    } finally {
      cancel();
      // Where one is refused, the others are not wanted any more.
      late.abort();
    }
  };
}

class Refused extends Error {
  override name = 'Refused';
}

/** Throws when so many bytes more do not fit. */
type Room = (bytes: number) => void;

function createRoom(maxBytes: number, grow: (bytes: number) => void): Room {
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

async function fetchOne(text: string, options: MediaOptions, room: Room, signal: AbortSignal): Promise<Media> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:') throw new Refused('only https addresses are fetched');
  if (url.username !== '' || url.password !== '') throw new Refused('addresses with a user name are not fetched');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = parseAddress(host) ? [host] : await whileLive(addressesOf(host, options), signal);
  const parsed = addresses.map((address) => parseAddress(address));
  const [chosen] = addresses;
  if (chosen === undefined || !parsed.every((address) => address && options.isAllowed(address))) {
    throw new Refused('its host has no address, or one that is not on the public internet');
  }
  return download(url, chosen, options, room, signal);
}

/** None where the look-up fails: who asks must not learn which names exist in our own network. */
function addressesOf(host: string, { resolve }: MediaOptions): Promise<string[]> {
  return resolve(host).catch(() => []);
}

/** A look-up cannot be broken off, but nobody has to wait for it. */
function whileLive<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Error('it took too long'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

async function download(
  url: URL,
  address: string,
  options: MediaOptions,
  room: Room,
  signal: AbortSignal,
): Promise<Media> {
  const family = address.includes(':') ? 6 : 4;
  // Seldom needed, and no small part of the memory of a start.
  const { request: ask } = await import('node:https');
  return new Promise((resolve, reject) => {
    const request = ask(
      url,
      {
        // Not looked up a second time: another answer would be another address.
        lookup: (_host, { all }, found) => (all ? found(null, [{ address, family }]) : found(null, address, family)),
        headers: {
          accept: 'image/*, application/pdf',
          'accept-encoding': 'identity',
          'user-agent': 'ai-gateway-service',
        },
        agent: false,
        ...(options.authorities === undefined ? {} : { ca: options.authorities }),
        signal,
      },
      (response) => {
        const refuse = (why: unknown) => {
          reject(why);
          request.destroy();
        };
        if (response.statusCode !== 200) return refuse(new Refused('its server does not give it'));
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => {
          try {
            room(piece.byteLength);
            pieces.push(piece);
          } catch (error) {
            refuse(error);
          }
        });
        response.on('error', reject);
        response.on('aborted', () => reject(new Refused('its server broke off')));
        response.on('end', () => {
          const mediaType = (response.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
          resolve({ mediaType, data: Buffer.concat(pieces).toString('base64') });
        });
      },
    );
    request.on('error', reject);
    request.end();
  });
}
