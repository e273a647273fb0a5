/** @jsxImportSource hono/jsx */
// Adding, editing and removing a channel by forms, step by step, without a script. Only a form that was sent makes a call to
// an upstream.

import { sentences } from '../../../site/format.ts';
import type { Notice } from '../../../site/frame.tsx';
import { plainNumber, typed } from '../../../site/read-form.ts';
import { findPreset, OTHER, type VendorPreset } from '../../../vendors/presets.ts';
import type { ChannelDraft } from '../../actions/channel-drafts.ts';
import { type ConnectedDraft, connectAgain, connectNew, presetOf } from '../../actions/connect-channel.ts';
import type { DocumentFault } from '../../actions/documents.ts';
import { readNewest } from '../../actions/newest.ts';
import { chosenAtFirst, offerOf, offersOf } from '../../actions/offered-models.ts';
import { notFound, OperatingRefused } from '../../actions/refused.ts';
import { checkChoice, reviewDraft, saveDraft, testDraft } from '../../actions/save-channel.ts';
import { readConversion } from '../../actions/usd-prices.ts';
import { applyOptions } from '../models/review.tsx';
import { unlessRefused } from '../refused.ts';
import { ACTOR } from '../tools.ts';
import type { ConsoleVisit, ConsoleVisits } from '../visits.tsx';
import { documentFaultText } from '../words/document-faults.ts';
import { type ConnectField, ConnectPage, ConnectReview, draftPath, VendorsPage } from './connect-form.tsx';
import { channelPath } from './list.tsx';
import { ModelsPage, readChoice, toChosen } from './model-form.tsx';

const USUAL_RATE = '32.5';
const USUAL_MARKUP = '20';

export function addConnectPages(visits: ConsoleVisits): void {
  visits.get('/connect', (visit) => visit.show(<VendorsPage context={visit.page} />));
  visits.get('/connect/:vendor', showNew);
  visits.post('/connect/:vendor', connectVendor);
  visits.get('/channels/:name/edit', showEdit);
  visits.post('/channels/:name/edit', connectEdited);
  visits.get('/connect/drafts/:draft', showModels);
  visits.post('/connect/drafts/:draft', choose);
  visits.get('/connect/drafts/:draft/review', showReview);
  visits.post('/connect/drafts/:draft/review', save);
}

function presetFor({ params }: ConsoleVisit): VendorPreset {
  const preset = findPreset(params.vendor ?? '');
  if (!preset) throw notFound(`vendor ${params.vendor}`);
  return preset;
}

interface Refused {
  faults: Partial<Record<ConnectField, string>>;
  notice?: Notice;
}

async function showNew(visit: ConsoleVisit, refused?: Refused): Promise<Response> {
  const { form: sent } = visit;
  const preset = presetFor(visit);
  const draft = visit.drafts.get(visit.url.searchParams.get('draft') ?? '');
  const { channels } = (await readNewest(visit.tools)).document;
  const used = channels.map(({ name }) => name);
  // Also what was typed before signing in again, but for the key.
  const values = sent.has('address')
    ? { name: typed(sent, 'name'), address: typed(sent, 'address'), kind: typed(sent, 'kind') }
    : {
        name: draft?.channel.name ?? freeName(preset, used),
        address: String(draft?.fields.base_url ?? preset.baseUrl ?? ''),
        kind: draft?.preset.kind ?? preset.kind,
      };
  const form = { action: `/connect/${preset.id}`, back: '/connect', values, ...refused };
  return visit.show(<ConnectPage context={visit.page} preset={preset} {...form} />, { status: refused ? 422 : 200 });
}

/** The vendor's, or with the first number that makes it free. */
function freeName({ id }: VendorPreset, used: readonly string[]): string {
  if (id === OTHER.id) return '';
  let name = id;
  for (let number = 2; used.includes(name); number++) name = `${id}-${number}`;
  return name;
}

async function connectVendor(visit: ConsoleVisit): Promise<Response> {
  const { form, tools } = visit;
  const preset = presetFor(visit);
  const kinds = Object.keys(visit.page.words.connect.formats) as VendorPreset['kind'][];
  const kind = preset.id === OTHER.id ? kinds.find((one) => one === form.get('kind')) : undefined;
  const connection = { name: typed(form, 'name'), address: typed(form, 'address'), key: typed(form, 'key'), kind };
  const connected = await connectNew(tools, preset, connection, ACTOR);
  if (!connected.ok) return showNew(visit, refusedOf(visit, connected.faults));
  return goToModels(visit, connected.draft);
}

async function showEdit(visit: ConsoleVisit, refused?: Refused): Promise<Response> {
  const name = visit.params.name ?? '';
  const written = (await readNewest(visit.tools)).document.channels.find((channel) => channel.name === name);
  if (!written || written.kind === 'demo') throw notFound(`channel ${name}`);
  const preset = presetOf(written);
  const address = refused ? typed(visit.form, 'address') : (written.base_url ?? '');
  const form = {
    editing: name,
    action: `${channelPath(name)}/edit`,
    back: channelPath(name),
    values: { name, address, kind: written.kind },
    hasKey: written.api_key !== undefined,
    ...refused,
  };
  return visit.show(<ConnectPage context={visit.page} preset={preset} {...form} />, { status: refused ? 422 : 200 });
}

async function connectEdited(visit: ConsoleVisit): Promise<Response> {
  const { form, params, tools } = visit;
  const connection = { address: typed(form, 'address'), key: typed(form, 'key') };
  const connected = await connectAgain(tools, params.name ?? '', connection, ACTOR);
  if (!connected.ok) return showEdit(visit, refusedOf(visit, connected.faults));
  return goToModels(visit, connected.draft);
}

/** Faults of the fields of the form; any other is of the document, and shown above it. */
function refusedOf({ page }: ConsoleVisit, found: readonly DocumentFault[]): Refused {
  const { faults: said } = page.words.connect;
  const faults: Refused['faults'] = {};
  for (const { path, message } of found) {
    if (path === 'name') faults.name = message.includes('used') ? said.nameUsed : said.name;
    if (path === 'base_url') faults.base_url = said.base_url;
    if (path === 'api_key') faults.api_key = message.includes('again') ? said.keyAgain : said.api_key;
  }
  if (Object.keys(faults).length > 0) return { faults };
  const [first] = found;
  const reason = first && `${first.path}: ${documentFaultText(page.language, first.message)}`;
  return { faults, notice: { text: sentences(said.document, reason ?? ''), isBad: true } };
}

async function goToModels({ drafts, go, tools }: ConsoleVisit, connected: ConnectedDraft): Promise<Response> {
  const draft = drafts.add({ ...connected, rate: USUAL_RATE, markup: USUAL_MARKUP });
  const { document } = await readNewest(tools);
  const chosen = draft.isNew ? chosenAtFirst(draft, offersOf(draft, document)).map(toChosen) : [];
  drafts.change(draft.id, { chosen });
  return go(draftPath(draft));
}

function draftOf({ drafts, params, page }: ConsoleVisit): ChannelDraft {
  const draft = drafts.get(params.draft ?? '');
  if (!draft || draft.savedAs !== undefined) {
    throw new OperatingRefused('not_found', 'the form has expired, or was saved', {
      subjects: [page.words.connect.gone],
    });
  }
  return draft;
}

interface RefusedChoice {
  faults?: ReturnType<typeof checkChoice>;
  notice: Notice;
}

async function showModels(visit: ConsoleVisit, refused?: RefusedChoice): Promise<Response> {
  const draft = draftOf(visit);
  const { document } = await readNewest(visit.tools);
  const listed = offersOf(draft, document);
  const typedNames = draft.chosen.filter(({ model }) => !listed.some((offer) => offer.model === model));
  const offers = [...listed, ...typedNames.map(({ model }) => offerOf(draft, document, model))];
  const query = visit.url.searchParams.get('q') ?? '';
  const page = <ModelsPage context={visit.page} {...{ draft, offers, query, ...refused }} />;
  return visit.show(page, { status: refused ? 422 : 200 });
}

/** A search keeps what was typed; everything else tests what was chosen. */
async function choose(visit: ConsoleVisit): Promise<Response> {
  const { drafts, form, page, tools } = visit;
  const { faults: said } = page.words.connect;
  const before = draftOf(visit);
  const { document } = await readNewest(tools);
  const chosen = readChoice(form, (model) => offerOf(before, document, model));
  const changes = { chosen, rate: plainNumber(typed(form, 'rate')), markup: plainNumber(typed(form, 'markup')) };
  drafts.change(before.id, changes);
  const draft = { ...before, ...changes };
  const query = typed(form, 'q');
  const isSearch = form.get('step') === 'find' || query !== typed(form, 'shown');
  if (isSearch) return visit.go(`${draftPath(draft)}?q=${encodeURIComponent(query)}`);
  if (chosen.length === 0 && draft.isNew) {
    return showModels(visit, { notice: { text: said.nothing, isBad: true } });
  }
  const faults = checkChoice(chosen, (model) => offerOf(draft, document, model));
  const isConverted = unlessRefused(() => readConversion(draft.rate, draft.markup)) !== undefined;
  if (faults.length > 0 || !isConverted) {
    return showModels(visit, { faults, notice: { text: said.some, isBad: true } });
  }
  const tests = await testDraft(tools, draft, ACTOR);
  drafts.change(draft.id, { tests });
  return visit.go(`${draftPath(draft)}/review`);
}

async function showReview(visit: ConsoleVisit, notice?: Notice): Promise<Response> {
  const draft = draftOf(visit);
  const reviewed = await reviewDraft(visit.tools, draft);
  const context = { ...visit.page, query: '' };
  const page = <ConnectReview {...{ context, draft, reviewed, notice }} />;
  return visit.show(page, { status: notice ? 409 : 200 });
}

async function save(visit: ConsoleVisit): Promise<Response> {
  const { connect, document } = visit.page.words;
  const draft = draftOf(visit);
  const applied = await saveDraft(visit.tools, draft, applyOptions(visit));
  if (applied.ok) {
    visit.drafts.change(draft.id, { savedAs: applied.revision });
    const { name } = draft.channel;
    return visit.goWith(channelPath(name), { notice: { text: connect.added(name, applied.revision) } });
  }
  const texts = {
    faults: connect.faults.document,
    stale: connect.stale,
    unchanged: connect.unchanged,
    unconfirmed: document.mustConfirm,
  };
  return showReview(visit, { text: texts[applied.reason], isBad: true });
}
