// The models of a vendor as a form offers them: with the id that customers would use, the price if it is known, and whether
// the document has the model already.

import type { Document, DocumentModel } from '../../catalog/document.ts';
import type { ModelKind } from '../../vendors/endpoints.ts';
import type { KnownModel } from '../../vendors/known-models.ts';
import type { ChannelDraft, ChosenModel } from './channel-drafts.ts';
import type { VendorModel } from './vendor-models.ts';

export interface Offer extends ChosenModel {
  kind: ModelKind;
  known: KnownModel | undefined;
  listed: VendorModel | undefined;
  /** The model of the document with this id: it gets one more route, and keeps its price. */
  existing: DocumentModel | undefined;
}

/** More are not chosen unasked. */
const FEW = 5;

/** What the vendor lists and this channel does not serve yet; models with a known price first. */
export function offersOf(draft: ChannelDraft, document: Document): Offer[] {
  const listed = draft.listing.ok ? draft.listing.value : [];
  const isRouted = (model: string) =>
    document.models.some(({ routes }) =>
      routes.some((route) => route.channel === draft.channel.name && route.model === model),
    );
  const offers = listed.filter(({ model }) => !isRouted(model)).map(({ model }) => offerOf(draft, document, model));
  return [...offers.filter(({ known }) => known), ...offers.filter(({ known }) => !known)];
}

/** Of any name, listed or typed. */
export function offerOf({ preset, listing }: ChannelDraft, document: Document, model: string): Offer {
  const known = preset.models?.find(({ id, upstreamModel = id }) => upstreamModel === model);
  const listed = listing.ok ? listing.value.find((one) => one.model === model) : undefined;
  const id = known?.id ?? publicId(model);
  const kind = /embed|\bbge\b/i.test(model) ? 'embeddings' : 'chat';
  const usual = preset.isOwnServer ? '0' : '';
  // Embeddings have no output to sell.
  const usualOutput = kind === 'embeddings' ? '0' : usual;
  return {
    model,
    id,
    input: known ? String(known.usd.input) : (listed?.usd?.input ?? usual),
    output: known ? String(known.usd.output) : (listed?.usd?.output ?? usualOutput),
    kind,
    known,
    listed,
    existing: document.models.find((one) => one.id === id || one.aliases.includes(id)),
  };
}

/** Models that are sold for a known price and are not being shut down; of one's own server all, if they are few. */
export function chosenAtFirst({ preset }: ChannelDraft, offers: readonly Offer[]): ChosenModel[] {
  if (preset.isOwnServer) return offers.length <= FEW ? [...offers] : [];
  return offers.filter(({ known }) => known && known.retiresAt === undefined);
}

/** As ids may be written: without what stands before the last slash, in small letters. */
function publicId(model: string): string {
  const [, name = model] = /([^/]+)$/.exec(model) ?? [];
  return name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|-+$/g, '');
}
