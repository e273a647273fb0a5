// Switching a channel off and on, or taking it away: a new revision of the document, as every change of the catalog is.

import { type AppliedDocument, applyChecked, currentDocument } from './documents.ts';
import { readNewest } from './newest.ts';
import { type RawDocument, readRaw, routesOf, writeRaw } from './raw-document.ts';
import { notFound, OperatingRefused } from './refused.ts';
import type { Actor, OperatingTools } from './tools.ts';

export interface ChangedChannel {
  revision: number;
  modelsWithoutRoute: readonly string[];
}

/** Refused: not_found; already_done; last_routes with the models that would lose their last route, unless forced. */
export async function setChannelEnabled(
  tools: OperatingTools,
  name: string,
  { enabled, force, actor }: { enabled: boolean; force: boolean; actor: Actor },
): Promise<ChangedChannel> {
  const { catalog } = await readNewest(tools);
  const known = catalog.channels.get(name);
  if (!known) throw notFound(`channel ${name}`);
  if (known.enabled === enabled) {
    throw new OperatingRefused('already_done', `${name} is switched ${enabled ? 'on' : 'off'} already`);
  }
  const lost = enabled ? [] : await losingLastRoute(tools, name);
  refuseLost(name, lost, force);
  return change(tools, { actor, action: enabled ? 'channels.enable' : 'channels.disable', name, lost }, (raw) => ({
    ...raw,
    channels: raw.channels.map((channel) => {
      if (channel.name !== name) return channel;
      const { enabled: _, ...rest } = channel;
      return enabled ? rest : { ...rest, enabled: false };
    }),
  }));
}

/**
 * Takes a channel away with its routes. Refused: not_found; last_routes with the models that would have none left, unless
 * forced: then they go, too.
 */
export async function removeChannel(
  tools: OperatingTools,
  name: string,
  { force, actor }: { force: boolean; actor: Actor },
): Promise<ChangedChannel> {
  const { document } = await readNewest(tools);
  if (!document.channels.some((channel) => channel.name === name)) throw notFound(`channel ${name}`);
  const lost = document.models
    .filter(({ routes }) => routes.every((route) => route.channel === name))
    .map(({ id }) => id);
  refuseLost(name, lost, force);
  const isLost = (id: unknown) => lost.some((one) => one === id);
  return change(tools, { actor, action: 'channels.remove', name, lost }, (raw) => ({
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

/** Models that no other channel serves now. */
async function losingLastRoute(tools: OperatingTools, name: string): Promise<string[]> {
  const { catalog } = await readNewest(tools);
  return catalog.models
    .filter(({ routes }) => routes.length > 0 && routes.every(({ channel }) => channel.name === name))
    .map(({ id }) => id);
}

function refuseLost(name: string, lost: readonly string[], force: boolean): void {
  if (lost.length === 0 || force) return;
  const message = `these models would lose their last route with ${name}: ${lost.join(', ')}`;
  throw new OperatingRefused('last_routes', message, { subjects: lost });
}

interface Change {
  actor: Actor;
  action: string;
  name: string;
  lost: readonly string[];
}

async function change(
  tools: OperatingTools,
  { actor, action, name, lost }: Change,
  edit: (raw: RawDocument) => RawDocument,
): Promise<ChangedChannel> {
  const { revision, yaml } = await currentDocument(tools);
  const detail = { channel: name, ...(lost.length > 0 ? { models_without_route: lost } : {}) };
  const options = { baseRevision: revision, confirmed: true, actor, action, detail };
  return {
    revision: revisionOf(await applyChecked(tools, writeRaw(edit(readRaw(yaml))), options)),
    modelsWithoutRoute: lost,
  };
}

function revisionOf(applied: AppliedDocument): number {
  if (applied.ok) return applied.revision;
  if (applied.reason === 'faults') {
    const message = applied.faults.map(({ path, message }) => `${path}: ${message}`).join('; ');
    throw new OperatingRefused('invalid', `the document would not be valid: ${message}`);
  }
  throw new OperatingRefused('stale', 'somebody else changed the catalog at the same time: look again, then repeat it');
}
