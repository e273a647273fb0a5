// The public pages as Markdown, for clients such as curl, with the same facts.

import type { PublicStatus } from '../../catalog/publishing/public-status.ts';
import { ATOM_FEED, JSON_FEED } from '../../kit/discovery-links.ts';
import type { Incident } from '../../store/rows.ts';
import { ENTRIES } from '../changelog/entries.ts';
import { contentOf } from '../changelog/feeds.ts';
import { type DocPage, type DocsLibrary, REFERENCE_GROUP } from '../docs-library.ts';
import type { DocHit } from '../docs-search.ts';
import { count, dateTime, milliseconds, percent, sentences, withGap } from '../format.ts';
import { type Language, wordsOf } from '../language.ts';
import { modelSnippets } from '../model-snippets.ts';
import { MENU } from '../page.tsx';
import type { SiteTools } from '../tools.ts';
import { firstCall, freeLimits, type HomeFacts, homePromises, pictureText, registerCall } from './home.tsx';
import { traceText } from './home-trace.tsx';
import { abilityTexts, modelLead, speedFigures } from './model.tsx';
import { descriptionOf, type ModelFacts } from './model-facts.ts';
import { laterText, priceCaption, pricingLead, retirementText, ruleTexts } from './price-rules.ts';
import { type PricingFacts, priceText } from './pricing.tsx';
import { listedPrices, type PricingQuery, priceColumns, selectModels } from './pricing-models.ts';
import { contactText, securitySections } from './security.tsx';
import { incidentText, isOngoing, summaryOf, summaryText } from './status.tsx';

export function homeText(
  language: Language,
  { siteName, publicUrl }: Pick<SiteTools, 'siteName' | 'publicUrl'>,
  facts: HomeFacts,
): string {
  const { home, status, frame } = wordsOf(language);
  const { demo, free, limits, model, trace, picture } = facts;
  const freeModel = free && [
    `## ${home.freeNow}`,
    `auto:free · ${status[free.state]}`,
    ...(free.channels.length > 0 ? [home.freeBy(free.channels.join(' · '))] : []),
    freeLimits(language, limits),
  ];
  const links = MENU.map((name) => `- [${frame[name]}](${publicUrl}/${name})`);
  const promises = homePromises(language).map(([title, text]) => paragraphs(`### ${title}`, text));
  return paragraphs(
    `# ${siteName}`,
    home.headline,
    home.lead,
    demo ? `> ${home.demo[demo]}` : '',
    pictureText({ language, siteName, picture }),
    trace ? traceText(language, trace) : '',
    `## ${home.firstCall}`,
    home.firstCallLead,
    codeBlock(registerCall(publicUrl)),
    free ? home.thenAsk : home.thenAskPaid,
    codeBlock(firstCall(publicUrl, model)),
    ...(freeModel ?? []),
    home.paidBy,
    `## ${home.promises}`,
    ...promises,
    [...links, `- [llms.txt](${publicUrl}/llms.txt)`].join('\n'),
  );
}

export function pricingText(language: Language, facts: PricingFacts, query: PricingQuery): string {
  const { pricing } = wordsOf(language);
  const models = selectModels(facts.models, query);
  const columns = priceColumns(models);
  const rows = models.map((model) => [
    model.id,
    ...columns.map((name) => priceText(model, name, pricing.free)),
    String(model.contextTokens ?? ''),
  ]);
  const table = markdownTable([pricing.model, ...columns.map((name) => pricing[name]), pricing.context], rows);
  const rules = models.flatMap((model) => {
    const texts = ruleTexts(language, model.rules, (name) => model.price[name] !== undefined);
    return texts.map((text) => `- ${model.id}: ${text}`);
  });
  const dates = models.flatMap(({ id, laterPrices, retirement }) => [
    ...laterPrices.map((later) => `- ${id}: ${laterText(language, later)}`),
    ...(retirement ? [`- ${id}: ${retirementText(language, retirement)}`] : []),
  ]);
  const effective = pricing.effective(facts.revision, dateTime(facts.since));
  const further = [
    ...(rules.length === 0 ? [] : [rules.join('\n'), pricing.rulesNote]),
    ...(dates.length === 0 ? [] : [dates.join('\n')]),
  ];
  return paragraphs(`# ${pricing.title}`, pricingLead(language, facts), table, ...further, effective);
}

export function statusText(language: Language, facts: PublicStatus): string {
  const { status } = wordsOf(language);
  const rows = facts.models.flatMap(({ id, state: modelState, channels }) => [
    ...(channels.length === 1 ? [] : [[id, status.channels(channels.length), status[modelState], '', '', '']]),
    ...channels.map(({ name, state, lastHour: { successRate, firstTokenMs, wholeMs } }) => {
      const times = [firstTokenMs, wholeMs].map(({ p50 }) => milliseconds(p50));
      return [id, name, status[state], percent(successRate), ...times];
    }),
  ]);
  const heads = [status.model, status.channel, status.now, status.success, status.firstToken, status.whole];
  const describe = (incident: Incident) => {
    const { title, times, text } = incidentText(language, incident);
    return paragraphs(`### ${title}`, times, text);
  };
  const ongoing = facts.incidents.filter(isOngoing).map(describe);
  const ended = facts.incidents.filter((incident) => !isOngoing(incident)).map(describe);
  return paragraphs(
    `# ${status.title}`,
    sentences(...summaryOf(language, facts).map((line) => summaryText(language, line))),
    ...(ongoing.length > 0 ? [`## ${status.ongoingIncidents}`, ...ongoing, `## ${status.models}`] : []),
    markdownTable(heads, rows),
    status.updated(dateTime(facts.at)),
    ...(ended.length > 0 || ongoing.length === 0 ? [`## ${status.incidents}`] : []),
    ...(facts.incidents.length > 0 ? ended : [status.noIncidents]),
  );
}

export function securityText(language: Language, usageMonths: number | null, contact: string | undefined): string {
  const { security } = wordsOf(language);
  const sections = securitySections(language, usageMonths).map(([title, text]) => paragraphs(`## ${title}`, text));
  const contacts = contact === undefined ? [] : [security.contact + contactText(contact)];
  return paragraphs(`# ${security.title}`, security.lead, ...sections, ...contacts, '/.well-known/security.txt');
}

export function changelogText(language: Language, publicUrl: string): string {
  const { changelog } = wordsOf(language);
  const entries = ENTRIES.map((entry) =>
    paragraphs(
      `## ${entry.title[language]}`,
      `${entry.date} · ${changelog.kinds[entry.kind]} · [${changelog.more}](${publicUrl}/docs/${entry.docs}.md)`,
      contentOf(entry, language),
    ),
  );
  return paragraphs(
    `# ${changelog.title}`,
    changelog.lead,
    `[${changelog.policy}](${publicUrl}/docs/versioning.md)`,
    `${changelog.feeds} [Atom](${publicUrl}${ATOM_FEED.path}) · [JSON](${publicUrl}${JSON_FEED.path})`,
    ...entries,
  );
}

export function docsText(language: Language, library: DocsLibrary, publicUrl: string): string {
  const { docs, account, frame } = wordsOf(language);
  // The next reader may have no language.
  const query = language === 'en' ? '' : `?lang=${language}`;
  const groups = library.groups(language).map(({ group, pages }) => {
    const mark = (written: Language) => (written === language ? '' : docs.inEnglish);
    const links = pages.map(
      ({ name, title, language: own, about }) =>
        `- [${title}](${publicUrl}/docs/${name}.md${query})${mark(own)}${account.colon}${about}`,
    );
    if (group === REFERENCE_GROUP) {
      links.push(`- [${docs.reference}](${publicUrl}/openapi.json)`, `- [${frame.changelog}](${publicUrl}/changelog)`);
    }
    return paragraphs(`## ${docs[group]}`, links.join('\n'));
  });
  return paragraphs(`# ${docs.title}`, docs.lead, ...groups);
}

/** Results of a search of the docs. */
export function foundText(language: Language, publicUrl: string, query: string, hits: readonly DocHit[]): string {
  const { docs, account } = wordsOf(language);
  const lines = hits.map(({ page, section, snippet }) => {
    const title = section === undefined ? page.title : page.title + account.colon + section.title;
    return `- [${title}](${publicUrl}/docs/${page.name}.md${section ? `#${section.id}` : ''})${account.colon}${snippet.join('')}`;
  });
  const summary = hits.length === 0 ? docs.notFound(query) : docs.found(hits.length, query);
  return paragraphs(`# ${docs.search}`, summary, lines.join('\n'));
}

/** A page that is not written in the reader's language says so in that language. */
export function docText(language: Language, { language: written, markdown }: DocPage): string {
  return written === language ? markdown : paragraphs(`> ${wordsOf(language).docs.onlyEnglish}`, markdown);
}

export function modelText(language: Language, publicUrl: string, model: ModelFacts): string {
  const { models, pricing, status, account } = wordsOf(language);
  const named = (title: string, value: string) => `- ${title}${account.colon}${value}`;
  const prices = listedPrices(model).map((name) => [pricing[name], priceText(model, name, pricing.free)]);
  const dates = [
    ...model.laterPrices.map((later) => laterText(language, later)),
    ...(model.retirement ? [retirementText(language, model.retirement)] : []),
  ];
  const rules = ruleTexts(language, model.rules, (name) => model.price[name] !== undefined);
  const channels = model.channels.map((channel) => [
    channel.name,
    status[channel.state],
    ...speedFigures(channel).map(([week = '–', lastHour]) =>
      lastHour === undefined ? week : `${week}; ${models.lastHour(lastHour)}`,
    ),
  ]);
  const facts = [
    ...(model.contextTokens === null ? [] : [named(pricing.context, models.tokens(count(model.contextTokens)))]),
    ...(model.outputTokens === null ? [] : [named(models.output, models.tokens(count(model.outputTokens)))]),
    ...abilityTexts(language, model).map(([title, value]) => named(title, value)),
  ];
  return paragraphs(
    `# ${model.name}`,
    [`\`${model.id}\``, status[model.state], ...model.aliases].join(' · '),
    descriptionOf(model, language)?.text ?? modelLead(language, model),
    model.isDemo ? `> ${models.demo}` : '',
    facts.join('\n'),
    `## ${models.prices}`,
    priceCaption(language, listedPrices(model)),
    markdownTable([models.item, models.now], prices),
    [...rules, ...dates].map((text) => `- ${text}`).join('\n'),
    `## ${models.speed}`,
    `${withGap(models.speedLead)}\`x-svc-channel\``,
    models.speedHelp,
    markdownTable([status.channel, status.now, models.success, status.firstToken, status.whole], channels),
    `## ${models.use}`,
    ...modelSnippets(publicUrl, model).map(({ syntax, code }) => codeBlock(code, syntax)),
  );
}

function paragraphs(...parts: string[]): string {
  const written = parts.map((part) => part.trim()).filter((part) => part !== '');
  return `${written.join('\n\n')}\n`;
}

function codeBlock(code: string, syntax = 'sh'): string {
  return `\`\`\`${syntax}\n${code}\n\`\`\``;
}

function markdownTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}
