// Literal secrets in a document: sealed before it is stored, printed as <kept> on export, and restored when a document
// with <kept> is applied. References (env:, file:) are stored in plain text. A rollback keeps the newest secrets.

import { stringify } from 'yaml';
import { isSealed, type Sealer } from '../kit/sealed.ts';
import type { DocumentFault } from './check-references.ts';
import { KEPT_SECRET } from './document.ts';

const NEW_SECRET = '<new>';
const RETURNED_SECRET = '<returned>';

interface RawChannel {
  name?: unknown;
  api_key?: unknown;
  base_url?: unknown;
  anthropic_base_url?: unknown;
}

export function isReference(secret: string): boolean {
  return secret.startsWith('env:') || secret.startsWith('file:');
}

/** The stored form: JSON with every literal sealed. `before` supplies the values of <kept>. */
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

/** Lists every <kept> without a stored secret. */
export function checkKeptSecrets(raw: unknown, before: string | undefined): DocumentFault[] {
  const stored = before === undefined ? [] : channelsOf(JSON.parse(before));
  const isStored = ({ name }: RawChannel) => stored.some((one) => one.name === name && typeof one.api_key === 'string');
  return channelsOf(raw).flatMap((channel, index) =>
    channel?.api_key === KEPT_SECRET && !isStored(channel)
      ? [{ path: `channels[${index}].api_key`, message: `there is no stored secret to keep for ${KEPT_SECRET}` }]
      : [],
  );
}

/** The stored document as YAML, without secrets. */
export function exportDocument(stored: string): string {
  return stringify(mapSecrets(JSON.parse(stored), (secret) => (isSealed(secret) ? KEPT_SECRET : secret)));
}

/** A new document in the same form: a new literal shows as <new>, so that the change is visible. */
export function showDocument(raw: unknown): string {
  const show = (secret: string) => (secret === KEPT_SECRET || isReference(secret) ? secret : NEW_SECRET);
  return stringify(mapSecrets(raw, show));
}

/**
 * A stored document for comparison with another: a different secret shows as <new>, or as <returned> in a rollback to
 * an old revision.
 */
export function exportBeside(stored: string, other: string, { isRollback }: { isRollback: boolean }): string {
  const secrets = new Map(channelsOf(JSON.parse(other)).map((one) => [one.name, one.api_key]));
  return stringify(
    mapSecrets(JSON.parse(stored), (secret, channel) => {
      if (!isSealed(secret)) return secret;
      if (secrets.get(channel) === secret) return KEPT_SECRET;
      return isRollback ? RETURNED_SECRET : NEW_SECRET;
    }),
  );
}

interface RolledBackDocument {
  stored: string;
  /** Channels that get their old secret back. */
  returned: readonly string[];
}

/**
 * An old document as the revision after `newest`. Its secrets may be revoked by now: those of the newest replace them,
 * unless the channel has none there, or would send it to a host that never had it.
 */
export function rollBackDocument(old: string, newest: string): RolledBackDocument {
  const newer = new Map(channelsOf(JSON.parse(newest)).map((one) => [one.name, one]));
  const raw: unknown = JSON.parse(old);
  const hosts = new Map(channelsOf(raw).map((one) => [one.name, originsOf(one)]));
  const returned: string[] = [];
  const document = mapSecrets(raw, (secret, channel) => {
    const now = newer.get(channel);
    if (!isSealed(secret) || now?.api_key === secret) return secret;
    const known = now === undefined ? [] : originsOf(now);
    const isKnown = hosts.get(channel)?.every((host) => known.includes(host));
    if (isKnown && typeof now?.api_key === 'string') return now.api_key;
    returned.push(channel);
    return secret;
  });
  return { stored: JSON.stringify(document), returned };
}

function originsOf({ base_url, anthropic_base_url }: RawChannel): string[] {
  return [base_url, anthropic_base_url].filter((url) => typeof url === 'string').map((url) => new URL(url).origin);
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
