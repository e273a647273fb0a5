// Literal secrets in a document: sealed before it is stored, printed as <kept> when it is exported, and put back when
// a document with <kept> is applied. References (env:, file:) are stored as they are.

import { stringify } from 'yaml';
import type { Sealer } from '../kit/sealed.ts';
import type { DocumentFault } from './check-references.ts';
import { KEPT_SECRET } from './document.ts';

const SEALED = 'sealed:';
const NEW_SECRET = '<new>';

interface RawChannel {
  name?: unknown;
  api_key?: unknown;
}

export function isReference(secret: string): boolean {
  return secret.startsWith('env:') || secret.startsWith('file:');
}

/** The document as it is stored: JSON with every literal sealed. `before` supplies the values of <kept>. */
export function sealDocument(raw: unknown, sealer: Sealer, before: string | undefined): string {
  const kept = new Map(
    before === undefined ? [] : channelsOf(JSON.parse(before)).map((one) => [one.name, one.api_key]),
  );
  return JSON.stringify(
    mapSecrets(raw, (secret, channel) => {
      if (secret === KEPT_SECRET) return kept.get(channel);
      if (isReference(secret)) return secret;
      return sealer.seal(secret, channel);
    }),
  );
}

/** Where <kept> stands though there is nothing to keep. */
export function checkKeptSecrets(raw: unknown, before: string | undefined): DocumentFault[] {
  const stored = before === undefined ? [] : channelsOf(JSON.parse(before));
  const isStored = ({ name }: RawChannel) => stored.some((one) => one.name === name && typeof one.api_key === 'string');
  return channelsOf(raw).flatMap((channel, index) =>
    channel?.api_key === KEPT_SECRET && !isStored(channel)
      ? [{ path: `channels[${index}].api_key`, message: `there is no stored secret to keep for ${KEPT_SECRET}` }]
      : [],
  );
}

/** The stored document as YAML for people, without secrets. */
export function exportDocument(stored: string): string {
  return stringify(mapSecrets(JSON.parse(stored), (secret) => (secret.startsWith(SEALED) ? KEPT_SECRET : secret)));
}

/** A document that is not stored yet, in the same spelling: a new literal shows as <new>, so that it is seen as a change. */
export function showDocument(raw: unknown): string {
  const show = (secret: string) => (secret === KEPT_SECRET || isReference(secret) ? secret : NEW_SECRET);
  return stringify(mapSecrets(raw, show));
}

/** A stored document beside another: a secret that is not the same as there shows as <new>. */
export function exportBeside(stored: string, other: string): string {
  const secrets = new Map(channelsOf(JSON.parse(other)).map((one) => [one.name, one.api_key]));
  return stringify(
    mapSecrets(JSON.parse(stored), (secret, channel) => {
      if (!secret.startsWith(SEALED)) return secret;
      return secrets.get(channel) === secret ? KEPT_SECRET : NEW_SECRET;
    }),
  );
}

function mapSecrets(raw: unknown, map: (secret: string, channel: string) => unknown): unknown {
  const document = raw as { channels?: unknown } | null | undefined;
  if (!Array.isArray(document?.channels)) return raw;
  return {
    ...document,
    channels: document.channels.map((channel: RawChannel | null) =>
      typeof channel?.api_key === 'string'
        ? { ...channel, api_key: map(channel.api_key, String(channel.name)) }
        : channel,
    ),
  };
}

function channelsOf(raw: unknown): RawChannel[] {
  const channels = (raw as { channels?: unknown } | null | undefined)?.channels;
  return Array.isArray(channels) ? (channels as RawChannel[]) : [];
}
