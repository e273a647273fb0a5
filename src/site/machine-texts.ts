// Texts for machines, at the paths that conventions name.

import { PROTECTED_RESOURCE_PATH } from '../faults/write.ts';
import { DAY_MS } from '../kit/clock.ts';
import { API_CATALOG_PATH, CHANGELOG_PATH } from '../kit/discovery-links.ts';
import type { DocsLibrary } from './docs-library.ts';
import { LANGUAGES } from './language.ts';
import { API_CATALOG_TYPE, apiCatalog, protectedResource } from './machine/api-catalog.ts';
import { authText } from './machine/auth-text.ts';
import { llmsFullText, llmsText } from './machine/llms-text.ts';
import { skillText } from './machine/skill-text.ts';
import { MENU } from './page.tsx';
import { modelPath } from './pages/model-facts.ts';
import { publicAddress } from './parts/public-head.tsx';
import type { SiteTools } from './tools.ts';

const HALF_YEAR_MS = 180 * DAY_MS;

interface MachineText {
  type: string;
  write(): string;
  /** Web pages of other sites may read it: clients that run in one look for it. */
  isOpen?: true;
}

/** By path. */
export function machineTexts(tools: SiteTools, library: DocsLibrary): Map<string, MachineText> {
  const plain = (write: () => string): MachineText => ({ type: 'text/plain; charset=utf-8', write });
  const markdown = (write: () => string): MachineText => ({ type: 'text/markdown; charset=utf-8', write });
  const json = (type: string, write: () => unknown): MachineText => ({
    type,
    write: () => JSON.stringify(write()),
    isOpen: true,
  });
  return new Map([
    ['/llms.txt', plain(() => llmsText(tools, library))],
    ['/llms-full.txt', plain(() => llmsFullText(tools, library))],
    ['/auth.md', markdown(() => authText(tools))],
    ['/skill.md', markdown(() => skillText(tools))],
    [API_CATALOG_PATH, json(API_CATALOG_TYPE, () => apiCatalog(tools))],
    [PROTECTED_RESOURCE_PATH, json('application/json', () => protectedResource(tools))],
    ['/.well-known/security.txt', plain(() => securityText(tools))],
    ['/robots.txt', plain(() => robotsText(tools))],
    ['/sitemap.txt', plain(() => sitemapText(tools, library))],
  ]);
}

function robotsText({ publicUrl }: SiteTools): string {
  return `User-agent: *
Disallow: /account
Disallow: /api/
Disallow: /v1/
Sitemap: ${publicUrl}/sitemap.txt
`;
}

/** Every public page in every language that it is written in, one address a line. */
function sitemapText({ publicUrl, catalog }: SiteTools, library: DocsLibrary): string {
  const paths = ['/', ...MENU.map((name) => `/${name}`), CHANGELOG_PATH];
  const models = catalog().models.map(({ id }) => modelPath(id));
  const pages = [...paths, ...models].map((path) => ({ path, languages: LANGUAGES }));
  const docs = library
    .groups('en')
    .flatMap((group) => group.pages)
    .flatMap(({ name }) => {
      const chapters = library.find(name, 'en')?.chapters ?? [];
      const paths = ['', ...chapters.map(({ slug }) => `/${slug}`)];
      return paths.map((path) => ({ path: `/docs/${name}${path}`, languages: library.languages(name) }));
    });
  const addresses = [...pages, ...docs].flatMap(({ path, languages }) =>
    languages.map((language) => publicAddress(publicUrl, path, language)),
  );
  return `${addresses.join('\n')}\n`;
}

/** Written for each request, so that it never expires however long this server runs. A contact is required. */
function securityText({ publicUrl, clock, securityContact }: SiteTools): string {
  return `Contact: ${securityContact ?? `${publicUrl}/security`}
Expires: ${new Date(clock.now() + HALF_YEAR_MS).toISOString()}
Preferred-Languages: zh-TW, en
Canonical: ${publicUrl}/.well-known/security.txt
Policy: ${publicUrl}/security
`;
}
