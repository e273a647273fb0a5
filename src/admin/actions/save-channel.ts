// The last steps of a channel's form: the chosen models are tested with real calls, and the channel is saved as a new
// revision, through the checks of every other change.

import type { Document } from '../../catalog/document.ts';
import { type Fields, fieldsOf } from '../../catalog/loose-fields.ts';
import { parseNtd } from '../../kit/money.ts';
import { record } from './audit-log.ts';
import type { ChannelDraft, ChosenModel } from './channel-drafts.ts';
import { openKey } from './connect-channel.ts';
import { type ApplyOptions, applyChecked, checkDocument, currentDocument } from './documents.ts';
import { readNewest, readRaw, routesOf, writeRaw } from './newest.ts';
import { canAdd, type Offer, offerOf, pricesAsked } from './offered-models.ts';
import { type ChannelTest, sendTest, testOf } from './test-channel.ts';
import type { Actor, OperatingTools } from './tools.ts';
import { type Conversion, convertUsd, knownUsd, readConversion, type UsdList } from './usd-prices.ts';

/** Each costs a little, and the operator waits. */
const MAX_TESTED = 8;

/** The wrong field and its model; `kind`: the form has no prices for a model of its kind. */
export interface ChoiceFault {
  model: string;
  field: 'input' | 'output' | 'id' | 'kind';
}

/** Errors that need no document to find: prices that are no numbers, ids that are missing or used twice. */
export function checkChoice(chosen: readonly ChosenModel[], offered: (model: string) => Offer): ChoiceFault[] {
  const isPrice = (text: string) => (parseNtd(text) ?? -1n) >= 0n;
  return chosen.flatMap(({ model, id, input, output }, index) => [
    ...(canAdd(offered(model)) ? [] : [{ model, field: 'kind' as const }]),
    ...(isPrice(input) ? [] : [{ model, field: 'input' as const }]),
    ...(isPrice(output) ? [] : [{ model, field: 'output' as const }]),
    ...(id === '' || chosen.findIndex((other) => other.id === id) !== index ? [{ model, field: 'id' as const }] : []),
  ]);
}

/** One real call for each chosen model, all at once. */
export async function testDraft(tools: OperatingTools, draft: ChannelDraft, actor: Actor): Promise<ChannelTest[]> {
  const { channel, chosen } = draft;
  const { document } = await readNewest(tools);
  const calls = chosen.flatMap(({ model }) => {
    const { kind } = offerOf(draft, document, model);
    const test = kind && testOf(channel, model, kind);
    return test ? [test] : [];
  });
  const tests = await Promise.all(calls.slice(0, MAX_TESTED).map((call) => sendTest(tools, channel, call)));
  for (const { model, ok, ms } of tests) {
    await record(tools, actor, 'channels.test', channel.name, { model, ok, ms });
  }
  return tests;
}

/** The document with the channel. Refused: invalid for a rate or mark-up. */
async function planDraft(tools: OperatingTools, draft: ChannelDraft) {
  const { document } = await readNewest(tools);
  const { revision, yaml } = await currentDocument(tools);
  const raw = readRaw(yaml);
  const key = openKey(tools, draft);
  const secret = key === undefined ? {} : { api_key: key };
  const conversion = readConversion(draft.rate, draft.markup);
  const plans = draft.chosen.map((chosen) => planModel(draft, document, chosen, conversion));
  const { name, base_url } = draft.fields;
  const channels = draft.isNew
    ? [...raw.channels, { ...draft.fields, ...secret }]
    : raw.channels.map((channel) => (channel.name === name ? { ...channel, base_url, ...secret } : channel));
  const models = [
    ...raw.models.map((model) => {
      const added = plans.filter(({ planned, existingId }) => planned.isExisting && existingId === model.id);
      return added.length === 0 ? model : withRoutes(model, added);
    }),
    ...plans.flatMap(({ planned, model }) => (planned.isExisting ? [] : [model])),
  ];
  return { revision, yaml: writeRaw({ ...raw, channels, models }), planned: plans.map(({ planned }) => planned) };
}

type Plan = ReturnType<typeof planModel>;

function planModel(draft: ChannelDraft, document: Document, chosen: ChosenModel, conversion: Conversion) {
  const offer = offerOf(draft, document, chosen.model);
  const existing = document.models.find(({ id, aliases }) => id === chosen.id || aliases.includes(chosen.id));
  const { cost, sale } = convertUsd(usdOf(offer, chosen), conversion);
  const route = { channel: draft.channel.name, model: chosen.model, cost };
  const { known, listed, kind } = offer;
  const isUsual = known !== undefined && known.id === chosen.id;
  const replacement = document.models.some(({ id }) => id === known?.replacedBy) ? known?.replacedBy : undefined;
  const context = known?.contextTokens ?? listed?.contextTokens;
  const output = known?.maxOutputTokens ?? listed?.maxOutputTokens;
  const features = listed?.features ?? [];
  return {
    /** `sale` and `cost` are NT$ for a million tokens. If it exists, only a route is added, and its price stays. */
    planned: { id: chosen.id, model: chosen.model, sale, cost, isExisting: existing !== undefined },
    route,
    existingId: existing?.id,
    /** As a new model of the document. */
    model: {
      id: chosen.id,
      ...(isUsual && { name: known.name }),
      ...(kind !== null && kind !== 'chat' && { kinds: [kind] }),
      ...(context !== undefined && { context_tokens: context }),
      ...(output !== undefined && { max_output_tokens: output }),
      ...(features.length > 0 && { features }),
      price: sale ?? 'free',
      routes: [route],
      ...(isUsual && known.retiresAt !== undefined && { retires_at: known.retiresAt }),
      ...(isUsual && replacement !== undefined && { replaced_by: replacement }),
    },
  };
}

const TOKEN_PRICES = ['input', 'output'] as const;

/** The vendor's whole list, with its tiers, if its prices were left as they are. */
function usdOf({ known, listed, kind, input, output }: Offer, chosen: ChosenModel): UsdList {
  const usd = known?.usd;
  const tokens = usd && usd !== 'free' ? TOKEN_PRICES.filter((name) => usd[name] !== undefined) : [];
  const names = [...new Set([...pricesAsked(kind), ...tokens])];
  const isAsListed = !listed?.usd && chosen.input === input && chosen.output === output;
  if (known && (names.length === 0 || isAsListed)) return knownUsd(known);
  return { prices: Object.fromEntries(names.map((name) => [name, chosen[name]])) };
}

/** Behind the routes that it has: the new channel serves when these fail. */
function withRoutes(model: Fields, added: readonly Plan[]): Fields {
  const routes = routesOf(model);
  const priority = 1 + Math.max(...routes.map((route) => Number(fieldsOf(route).priority ?? 1)));
  return { ...model, routes: [...routes, ...added.map(({ route }) => ({ ...route, priority }))] };
}

export type ReviewedDraft = Awaited<ReturnType<typeof reviewDraft>>;

export async function reviewDraft(tools: OperatingTools, draft: ChannelDraft) {
  const { revision, yaml, planned } = await planDraft(tools, draft);
  return { ...(await checkDocument(tools, yaml, revision)), planned };
}

export async function saveDraft(tools: OperatingTools, draft: ChannelDraft, options: ApplyOptions) {
  const { yaml, planned } = await planDraft(tools, draft);
  const action = draft.isNew ? 'channels.add' : 'channels.edit';
  const detail = { channel: draft.channel.name, models: planned.map(({ id }) => id) };
  return applyChecked(tools, yaml, { ...options, action, detail });
}
