// The models of a vendor as a form offers them: with the id that customers would use, the price if it is known, and whether
// the document has the model already.

import type { Document } from '../../catalog/document.ts';
import { hasNoTokenPrice, UNIT_NAMES, type UnitName } from '../../catalog/listed-prices.ts';
import { canServe, type ModelKind } from '../../vendors/endpoints.ts';
import { kindOfModel } from '../../vendors/model-kinds.ts';
import type { VendorPreset } from '../../vendors/presets.ts';
import type { ChannelDraft, ChosenModel } from './channel-drafts.ts';

export type Offer = ReturnType<typeof offerOf>;

/** Prices that the form asks for, which are for tokens, by kind. Kinds without any are priced by the image, second, character
 * or search. */
const FORM_PRICES: Readonly<Partial<Record<ModelKind, readonly ('input' | 'output')[]>>> = {
  chat: ['input', 'output'],
  embeddings: ['input'],
  moderation: ['input'],
};

export function pricesAsked(kind: ModelKind | null): readonly ('input' | 'output')[] {
  return (kind && FORM_PRICES[kind]) ?? [];
}

/** Whether the form can price it: by the token, or at the vendor's known price. Others are added in the document. */
export function canAdd({ kind, known }: Pick<Offer, 'kind' | 'known'>): boolean {
  return known !== undefined || pricesAsked(kind).length > 0;
}

/** More are not chosen unasked. */
const FEW = 5;

/**
 * The vendor's list, or else the models with a known price, without those that this channel serves already. Models with a
 * known price come first, in the order of the preset.
 */
export function offersOf(draft: ChannelDraft, document: Document): Offer[] {
  const listed = draft.listing.ok ? draft.listing.value.map(({ model }) => model) : knownNames(draft.preset);
  const isRouted = (model: string) =>
    document.models.some(({ routes }) =>
      routes.some((route) => route.channel === draft.channel.name && route.model === model),
    );
  const offers = listed
    .filter((model) => !isRouted(model))
    .map((model) => offerOf(draft, document, model))
    .filter((offer) => canAdd(offer) && offer.kind && canServe(draft.channel.endpoints, offer.kind));
  const order = knownNames(draft.preset);
  const known = offers.filter(({ known }) => known);
  known.sort((a, b) => order.indexOf(a.model) - order.indexOf(b.model));
  return [...known, ...offers.filter(({ known }) => !known)];
}

/** The names of models with a known price at the vendor. */
function knownNames({ models = [] }: VendorPreset): string[] {
  return models.map(({ id, upstreamModel = id }) => upstreamModel);
}

/** For any name, listed or typed. */
export function offerOf({ preset, listing }: ChannelDraft, document: Document, model: string) {
  const known = preset.models?.find(({ id, upstreamModel = id }) => upstreamModel === model);
  const listed = listing.ok ? listing.value.find((one) => one.model === model) : undefined;
  const id = known?.id ?? publicId(model);
  const kind = known ? (known.kind ?? 'chat') : (listed?.kind ?? kindOfModel(model));
  const usual = preset.isOwnServer ? '0' : '';
  const usualOutput = pricesAsked(kind).includes('output') ? usual : '0';
  const knownUsd = known?.usd === 'free' ? {} : known?.usd;
  return {
    model,
    id,
    input: listed?.usd?.input ?? (knownUsd ? String(knownUsd.input ?? 0) : usual),
    output: listed?.usd?.output ?? (knownUsd ? String(knownUsd.output ?? 0) : usualOutput),
    /** Null: no endpoint of the gateway serves it. */
    kind,
    known,
    /** Its prices come before those of `known`. */
    listed,
    /** The model of the document with this id: it gets one more route, and keeps its price. */
    existing: document.models.find((one) => one.id === id || one.aliases.includes(id)),
  };
}

export type UnitPrices = readonly (readonly [UnitName, number])[];

/** Its prices by the image, second, character or search; undefined if it is priced by the token, or the price is unknown. */
export function unitPrices({ known }: Offer): UnitPrices | undefined {
  if (!known || known.usd === 'free' || !hasNoTokenPrice(known.usd)) return undefined;
  const { usd } = known;
  return UNIT_NAMES.flatMap((name) => (usd[name] === undefined ? [] : [[name, usd[name]] as const]));
}

/** Listed models that are sold for a known price and are not being shut down; of one's own server all, if they are few. */
export function chosenAtFirst({ preset, listing }: ChannelDraft, offers: readonly Offer[]): ChosenModel[] {
  if (!listing.ok) return [];
  if (preset.isOwnServer) return offers.length <= FEW ? [...offers] : [];
  return offers.filter(({ known }) => known && known.usd !== 'free' && known.retiresAt === undefined);
}

/** Converts a name to an id: the part after the last slash, in lower case. */
function publicId(model: string): string {
  const [, name = model] = /([^/]+)$/.exec(model) ?? [];
  return name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|-+$/g, '');
}
