// The first step of a channel's form: the address and the key are checked as the document checks them, and the upstream is
// asked for its models. Nothing is saved.

import { buildCatalog } from '../../catalog/catalog.ts';
import { KEPT_SECRET } from '../../catalog/document.ts';
import { exportDocument, isReference } from '../../catalog/document-secrets.ts';
import { type Fields, fieldsOf, listOf } from '../../catalog/loose-fields.ts';
import { prepareDocument } from '../../catalog/read-document.ts';
import { OTHER, presetChannel, VENDOR_PRESETS, type VendorPreset } from '../../vendors/presets.ts';
import { record } from './audit-log.ts';
import type { ChannelDraft } from './channel-drafts.ts';
import type { DocumentFault } from './documents.ts';
import { type RawDocument, readNewest, readRaw, writeRaw } from './newest.ts';
import { notFound } from './refused.ts';
import type { Actor, OperatingTools } from './tools.ts';
import { listVendorModels } from './vendor-models.ts';

export interface Connection {
  name: string;
  address: string;
  /** The key itself, or env:NAME; empty for none, or to keep the stored one. */
  key: string;
  /** The format, where the vendor leaves it open. */
  kind?: VendorPreset['kind'] | undefined;
}

export type ConnectedDraft = Omit<ChannelDraft, 'id' | 'rate' | 'markup'>;

/** `path` is a field of the channel: `name`, `base_url`, `api_key`. */
type Connected = { ok: true; draft: ConnectedDraft } | { ok: false; faults: DocumentFault[] };

export async function connectNew(
  tools: OperatingTools,
  vendor: VendorPreset,
  connection: Connection,
  actor: Actor,
): Promise<Connected> {
  const { name, address: baseUrl, kind = vendor.kind } = connection;
  const preset = { ...vendor, kind };
  const fields = presetChannel(preset, { name, baseUrl });
  const { revision } = await readNewest(tools);
  const raw = readRaw(exportDocument(revision.document));
  if (raw.channels.some((channel) => channel.name === name)) {
    return { ok: false, faults: [{ path: 'name', message: 'is used by another channel' }] };
  }
  return connect(tools, { raw, index: raw.channels.length, fields, preset, isNew: true }, connection.key, actor);
}

/** Refused: not_found. The stored key stays only while the host does: another host must not get it unasked. */
export async function connectAgain(
  tools: OperatingTools,
  name: string,
  { address, key }: Pick<Connection, 'address' | 'key'>,
  actor: Actor,
): Promise<Connected> {
  const { revision } = await readNewest(tools);
  const raw = readRaw(exportDocument(revision.document));
  const index = raw.channels.findIndex((channel) => channel.name === name);
  const before = raw.channels[index];
  if (!before) throw notFound(`channel ${name}`);
  const { api_key: known, ...fields } = before;
  if (key === '' && typeof known === 'string' && originOf(before.base_url) !== originOf(address)) {
    return { ok: false, faults: [{ path: 'api_key', message: 'must be entered again for another host' }] };
  }
  const stays = key === '' && typeof known === 'string' ? known : key;
  return connect(
    tools,
    { raw, index, fields: { ...fields, base_url: address }, preset: presetOf(before), isNew: false },
    stays,
    actor,
  );
}

interface Connecting {
  raw: RawDocument;
  /** Where the channel is, or will be. */
  index: number;
  fields: Fields;
  preset: VendorPreset;
  isNew: boolean;
}

async function connect(
  tools: OperatingTools,
  { raw, index, fields, preset, isNew }: Connecting,
  key: string,
  actor: Actor,
): Promise<Connected> {
  const { revision } = await readNewest(tools);
  const withKey = key === '' ? fields : { ...fields, api_key: key };
  const yaml = writeRaw({ ...raw, channels: raw.channels.toSpliced(index, 1, withKey) });
  const prepared = prepareDocument(yaml, tools.sealer, revision.document);
  if (!prepared.ok) return { ok: false, faults: faultsOf(prepared.faults, index) };
  const name = String(fields.name);
  const channel = buildCatalog(prepared.document, 0, 0).channels.get(name);
  if (!channel) throw notFound(`channel ${name}`);
  const sealed = { ...channel, apiKey: storedKey(prepared.stored, index) };
  const listing = await listVendorModels(tools, sealed);
  await record(tools, actor, 'channels.connect', name, { ok: listing.ok, ms: listing.ms });
  return {
    ok: true,
    draft: {
      preset,
      isNew,
      fields,
      channel: sealed,
      isKeyKept: key === KEPT_SECRET,
      listing,
      chosen: [],
      tests: [],
      savedAs: undefined,
    },
  };
}

/** A reference, or a sealed literal. */
function storedKey(stored: string, index: number): string | undefined {
  const { api_key: key } = fieldsOf(listOf(fieldsOf(JSON.parse(stored)).channels)[index]);
  return typeof key === 'string' ? key : undefined;
}

/** Those of this channel, by its field; others are of the document as it is. */
function faultsOf(faults: readonly DocumentFault[], index: number): DocumentFault[] {
  const prefix = `channels[${index}].`;
  return faults.map(({ path, message }) => ({
    path: path.startsWith(prefix) ? path.slice(prefix.length) : path,
    message,
  }));
}

/** The vendor whose address or peculiarities a channel has. */
export function presetOf({ kind, base_url: address, quirks }: Fields): VendorPreset {
  const origin = originOf(address);
  const known =
    VENDOR_PRESETS.find((preset) => preset.kind === kind && origin !== '' && originOf(preset.baseUrl) === origin) ??
    VENDOR_PRESETS.find((preset) => preset.kind === kind && preset.quirks !== undefined && preset.quirks === quirks);
  return known ?? OTHER;
}

function originOf(address: unknown): string {
  return typeof address === 'string' && URL.canParse(address) ? new URL(address).origin : '';
}

/** The key as a form of the document: a reference as it is, a literal opened. */
export function openKey(
  { sealer }: Pick<OperatingTools, 'sealer'>,
  { channel: { apiKey, name }, isKeyKept }: ChannelDraft,
): string | undefined {
  if (isKeyKept) return KEPT_SECRET;
  return apiKey === undefined || isReference(apiKey) ? apiKey : sealer.open(apiKey, name);
}
