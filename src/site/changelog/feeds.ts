// The changelog for programs: JSON Feed 1.1 and Atom (RFC 4287), with the same entries as the page.

import { DAY_MS } from '../../kit/clock.ts';
import { ATOM_FEED, CHANGELOG_PATH, JSON_FEED } from '../../kit/discovery-links.ts';
import { taipeiDayStart } from '../../kit/taipei.ts';
import { type Language, wordsOf } from '../language.ts';
import { publicAddress } from '../page.tsx';
import type { SiteTools } from '../tools.ts';
import { ENTRIES, type Entry } from './entries.ts';

type Site = Pick<SiteTools, 'siteName' | 'publicUrl'>;

/** The start of the day in Taipei, as RFC 3339. */
function timeOf(date: string): string {
  return new Date(taipeiDayStart(Date.parse(date) / DAY_MS)).toISOString();
}

/** The same in every language, so that a reader counts an entry once. */
function entryId({ publicUrl }: Site, { id }: Entry): string {
  return `${publicUrl}${CHANGELOG_PATH}#${id}`;
}

function entryUrl({ publicUrl }: Site, { id }: Entry, language: Language): string {
  return `${publicAddress(publicUrl, CHANGELOG_PATH, language)}#${id}`;
}

function docsUrl({ publicUrl }: Site, entry: Entry, language: Language): string {
  return `${publicAddress(publicUrl, `/docs/${entry.docs}`, language)}${sectionHash(entry, language)}`;
}

/** Empty for a whole page. */
export function sectionHash({ section }: Entry, language: Language): string {
  return section ? `#${encodeURIComponent(section[language])}` : '';
}

export function jsonFeed(site: Site, language: Language): string {
  const { changelog } = wordsOf(language);
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: `${changelog.title} · ${site.siteName}`,
    description: changelog.lead,
    home_page_url: publicAddress(site.publicUrl, CHANGELOG_PATH, language),
    feed_url: publicAddress(site.publicUrl, JSON_FEED.path, language),
    language,
    items: ENTRIES.map((entry) => ({
      id: entryId(site, entry),
      url: entryUrl(site, entry, language),
      title: entry.title[language],
      content_text: entry.text[language],
      date_published: timeOf(entry.date),
      tags: [entry.kind],
      external_url: docsUrl(site, entry, language),
      ...(entry.kind === 'deprecated' ? { _removal: { not_before: timeOf(entry.removedOn) } } : {}),
    })),
  });
}

export function atomFeed(site: Site, language: Language): string {
  const { changelog } = wordsOf(language);
  const { siteName, publicUrl } = site;
  const link = (rel: string, type: string, href: string) =>
    `<link rel="${rel}" type="${type}" href="${escaped(href)}"/>`;
  const entries = ENTRIES.map((entry) => {
    const time = timeOf(entry.date);
    return `  <entry>
    <id>${escaped(entryId(site, entry))}</id>
    <title>${escaped(entry.title[language])}</title>
    <published>${time}</published>
    <updated>${time}</updated>
    <category term="${entry.kind}" label="${escaped(changelog.kinds[entry.kind])}"/>
    ${link('alternate', 'text/html', entryUrl(site, entry, language))}
    ${link('related', 'text/html', docsUrl(site, entry, language))}
    <content type="text">${escaped(contentOf(entry, language))}</content>
  </entry>`;
  });
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language}">
  <id>${escaped(publicUrl + CHANGELOG_PATH)}</id>
  <title>${escaped(`${changelog.title} · ${siteName}`)}</title>
  <subtitle>${escaped(changelog.lead)}</subtitle>
  <updated>${timeOf(ENTRIES[0]?.date ?? '1970-01-01')}</updated>
  <author><name>${escaped(siteName)}</name></author>
  ${link('self', ATOM_FEED.type, publicAddress(publicUrl, ATOM_FEED.path, language))}
  ${link('alternate', 'text/html', publicAddress(publicUrl, CHANGELOG_PATH, language))}
${entries.join('\n')}
</feed>
`;
}

/** With the day of the removal, where there is one. */
export function contentOf(entry: Entry, language: Language): string {
  const { changelog } = wordsOf(language);
  const text = entry.text[language];
  return entry.kind === 'deprecated' ? `${text} ${changelog.removedOn(entry.removedOn)}` : text;
}

function escaped(text: string): string {
  return Bun.escapeHTML(text);
}
