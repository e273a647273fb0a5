// What each revision changed for the public: models that came, went, or have another price. Revisions never change, so
// each is read once.

import { buildCatalog, type Model } from '../catalog/catalog.ts';
import { readDocument } from '../catalog/read-document.ts';
import type { Revision } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

export interface PriceChange {
  revision: number;
  since: number;
  /** By id; of the very first revision everything is new. */
  changes: readonly { kind: 'added' | 'removed' | 'changed'; id: string }[];
}

interface PriceList {
  since: number;
  /** What a visitor can compare, by the model's id. */
  models: ReadonlyMap<string, string>;
}

const MOST = 100;

/** Newest first, up to a revision. What was told once is told again without a question, and while the store does not
 * answer also for a newer one: prices are shown without the last changes then, or without any. */
export function createPriceHistory(store: Pick<Store, 'read'>): (newest: number) => Promise<readonly PriceChange[]> {
  /** Undefined where no revision has the number, or this version cannot read it: there is nothing to tell of it. */
  const lists = new Map<number, PriceList | undefined>();
  let told: { newest: number; history: Promise<readonly PriceChange[]> } | undefined;
  let lastKnown: readonly PriceChange[] = [];

  /** One after the other: a large document takes a while to read, and in between others have their turn. */
  async function read(newest: number): Promise<readonly PriceChange[]> {
    const oldest = Math.max(1, newest - MOST);
    for (const revision of lists.keys()) if (revision < oldest) lists.delete(revision);
    for (let revision = oldest; revision <= newest; revision++) {
      if (!lists.has(revision)) lists.set(revision, priceList(await store.read.revision(revision)));
    }
    const known = Array.from({ length: newest - oldest + 1 }, (_, index) => oldest + index).flatMap((revision) => {
      const list = lists.get(revision);
      return list ? [{ revision, list }] : [];
    });
    return known
      .map(({ revision, list }, index) => ({
        revision,
        since: list.since,
        changes: compare(known[index - 1]?.list.models ?? new Map(), list.models),
      }))
      .toReversed()
      .slice(0, MOST);
  }

  return (newest) => {
    if (told?.newest === newest) return told.history;
    const history = read(newest).then(
      (known) => {
        lastKnown = known;
        return known;
      },
      () => {
        // What failed is asked again by the next one.
        if (told === telling) told = undefined;
        return lastKnown;
      },
    );
    const telling = { newest, history };
    told = telling;
    return history;
  };
}

function priceList(stored: Revision | undefined): PriceList | undefined {
  const read = stored && readDocument(stored.document);
  if (!read?.ok) return undefined;
  const { models } = buildCatalog(read.document, stored?.revision ?? 0, stored?.createdAt ?? 0);
  return { since: stored?.createdAt ?? 0, models: new Map(models.map((model) => [model.id, fingerprint(model)])) };
}

/** Prices alone: a model that takes more or has another name costs what it did. */
function fingerprint({ free, priced, prices }: Model): string {
  const list = [...priced].sort().map((name) => `${name} ${prices[name]}`);
  return [free, ...list].join('\n');
}

function compare(before: PriceList['models'], after: PriceList['models']): PriceChange['changes'] {
  const kept = [...after].flatMap(([id, list]) => {
    const known = before.get(id);
    if (known === list) return [];
    return [{ kind: known === undefined ? ('added' as const) : ('changed' as const), id }];
  });
  const gone = [...before.keys()].filter((id) => !after.has(id)).map((id) => ({ kind: 'removed' as const, id }));
  return [...kept, ...gone].toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
