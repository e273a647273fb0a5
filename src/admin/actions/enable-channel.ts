// Switches a channel off or on, or removes it, as a new revision of the document.

import type { Catalog } from '../../catalog/catalog.ts';
import { exportDocument } from '../../catalog/document-secrets.ts';
import { type AppliedDocument, applyChecked } from './documents.ts';
import { type Newest, type RawDocument, readNewest, readRaw, routesOf, writeRaw } from './newest.ts';
import { notFound, OperatingRefused } from './refused.ts';
import type { Actor, OperatingTools } from './tools.ts';

/** Refused: not_found; already_done; last_routes with the models that would lose their last route, unless forced. */
export async function setChannelEnabled(
  tools: OperatingTools,
  name: string,
  { enabled, force, actor }: { enabled: boolean; force: boolean; actor: Actor },
) {
  const newest = await readNewest(tools);
  const { catalog } = newest;
  const known = catalog.channels.get(name);
  if (!known) throw notFound(`channel ${name}`);
  if (known.enabled === enabled) {
    throw new OperatingRefused('already_done', `${name} is switched ${enabled ? 'on' : 'off'} already`);
  }
  const lost = enabled ? [] : losingLastRoute(catalog, name);
  refuseLost(name, lost, force);
  const action = enabled ? 'channels.enable' : 'channels.disable';
  return change(tools, { newest, actor, action, name, lost }, (raw) => ({
    ...raw,
    channels: raw.channels.map((channel) => {
      if (channel.name !== name) return channel;
      const { enabled: _, ...rest } = channel;
      return enabled ? rest : { ...rest, enabled: false };
    }),
  }));
}

/**
 * Removes a channel with its routes. Refused: not_found; last_routes with the models that no channel would serve,
 * unless forced: then models without any route are removed, too.
 */
export async function removeChannel(
  tools: OperatingTools,
  name: string,
  { force, actor }: { force: boolean; actor: Actor },
) {
  const newest = await readNewest(tools);
  const { document, catalog } = newest;
  if (!document.channels.some((channel) => channel.name === name)) throw notFound(`channel ${name}`);
  const bare = document.models
    .filter(({ routes }) => routes.every((route) => route.channel === name))
    .map(({ id }) => id);
  const lost = [...new Set([...bare, ...losingLastRoute(catalog, name)])];
  refuseLost(name, lost, force);
  const isLost = (id: unknown) => bare.some((model) => model === id);
  return change(tools, { newest, actor, action: 'channels.remove', name, lost }, (raw) => ({
    ...raw,
    channels: raw.channels.filter((channel) => channel.name !== name),
    models: raw.models
      .filter(({ id }) => !isLost(id))
      .map((model) => ({
        ...model,
        routes: routesOf(model).filter(({ channel }) => channel !== name),
        ...(Array.isArray(model.fallbacks) ? { fallbacks: model.fallbacks.filter((id) => !isLost(id)) } : {}),
      })),
  }));
}

/** Models that only this channel serves. */
function losingLastRoute({ models }: Catalog, name: string): string[] {
  return models
    .filter(({ routes }) => routes.length > 0 && routes.every(({ channel }) => channel.name === name))
    .map(({ id }) => id);
}

function refuseLost(name: string, lost: readonly string[], force: boolean): void {
  if (lost.length === 0 || force) return;
  const message = `these models would lose their last route with ${name}: ${lost.join(', ')}`;
  throw new OperatingRefused('last_routes', message, { subjects: lost });
}

interface Change {
  /** The revision that was shown: a newer one makes the change stale. */
  newest: Newest;
  actor: Actor;
  action: string;
  name: string;
  lost: readonly string[];
}

async function change(
  tools: OperatingTools,
  { newest, actor, action, name, lost }: Change,
  edit: (raw: RawDocument) => RawDocument,
) {
  const { revision, document } = newest.revision;
  const detail = { channel: name, ...(lost.length > 0 ? { models_without_route: lost } : {}) };
  const options = { baseRevision: revision, confirmed: true, actor, action, detail };
  return {
    revision: revisionOf(await applyChecked(tools, writeRaw(edit(readRaw(exportDocument(document)))), options)),
    modelsWithoutRoute: lost,
  };
}

function revisionOf(applied: AppliedDocument): number {
  if (applied.ok) return applied.revision;
  if (applied.reason === 'faults') {
    const message = applied.faults.map(({ path, message }) => `${path}: ${message}`).join('; ');
    throw new OperatingRefused('invalid', `the document would not be valid: ${message}`);
  }
  throw new OperatingRefused('stale', 'the catalog was changed at the same time: check it, then repeat the change');
}
