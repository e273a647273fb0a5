// Which models the pricing page shows, and in what order, from its address.

export const PRICING_KINDS = ['chat', 'embeddings', 'images'] as const;
export const PRICING_SORTS = ['name', 'input', 'output', 'context'] as const;

export interface PricedModel {
  id: string;
  name: string;
  aliases: readonly string[];
  kinds: readonly string[];
  /** Null of a model that makes images, which has none unless its operator states one. */
  contextTokens: number | null;
  isFree: boolean;
  /** NT$ for one million tokens, or for one image; null where it does not apply. */
  price: Record<'input' | 'cached' | 'write5m' | 'write1h' | 'output' | 'image', number | null>;
}

export interface PricingQuery {
  text: string;
  kind: (typeof PRICING_KINDS)[number] | undefined;
  sort: (typeof PRICING_SORTS)[number];
}

export function readPricingQuery(params: URLSearchParams): PricingQuery {
  return {
    text: (params.get('q') ?? '').slice(0, 100),
    kind: PRICING_KINDS.find((kind) => kind === params.get('kind')),
    sort: PRICING_SORTS.find((sort) => sort === params.get('sort')) ?? 'name',
  };
}

/** Free models stand first, whatever the order. */
export function selectModels(models: readonly PricedModel[], { text, kind, sort }: PricingQuery): PricedModel[] {
  const wanted = plain(text).split(/\s+/);
  const key = (model: PricedModel): number => {
    if (sort === 'context') return -(model.contextTokens ?? 0);
    return sort === 'name' ? 0 : (model.price[sort] ?? Number.POSITIVE_INFINITY);
  };
  return models
    .filter(({ kinds }) => kind === undefined || kinds.includes(kind))
    .filter(({ id, name, aliases }) => {
      const names = plain([id, name, ...aliases].join('\n'));
      return wanted.every((word) => names.includes(word));
    })
    .toSorted((a, b) => Number(b.isFree) - Number(a.isFree) || key(a) - key(b) || a.name.localeCompare(b.name, 'en'));
}

/** Neither case nor width matters. */
function plain(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
