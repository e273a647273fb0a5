// Texts for machines, at the paths that conventions name.

import { FREE_MODEL } from '../catalog/document.ts';
import { PROTECTED_RESOURCE_PATH } from '../faults/write.ts';
import { DAY_MS } from '../kit/clock.ts';
import { API_CATALOG_PATH, ATOM_FEED, CHANGELOG_PATH, JSON_FEED } from '../kit/discovery-links.ts';
import type { DocsLibrary } from './docs-library.ts';
import { LANGUAGES } from './language.ts';
import { authText } from './machine/auth-text.ts';
import { skillText } from './machine/skill-text.ts';
import { MENU, publicAddress } from './page.tsx';
import { modelPath } from './pages/model-facts.ts';
import type { PublicCall, SiteTools } from './tools.ts';

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

/** The media type with the profile of the RFC. */
const API_CATALOG_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/** The list of APIs (RFC 9727, as a linkset of RFC 9264). */
function apiCatalog({ publicUrl, termsUrl, privacyUrl }: SiteTools) {
  const link = (path: string, type: string) => ({ href: publicUrl + path, type });
  const elsewhere = (url: string | undefined) => (url === undefined ? undefined : [{ href: url }]);
  const described = {
    'service-desc': [link('/openapi.json', 'application/json')],
    'service-doc': [link('/docs', 'text/html'), link('/llms.txt', 'text/plain'), link('/skill.md', 'text/markdown')],
    'service-meta': [link(PROTECTED_RESOURCE_PATH, 'application/json'), link('/auth.md', 'text/markdown')],
    status: [link('/api/public/status', 'application/json')],
    'version-history': [
      link(JSON_FEED.path, JSON_FEED.type),
      link(ATOM_FEED.path, ATOM_FEED.type),
      link(CHANGELOG_PATH, 'text/html'),
    ],
    deprecation: [link('/docs/versioning', 'text/html')],
    'terms-of-service': elsewhere(termsUrl),
    'privacy-policy': elsewhere(privacyUrl),
  };
  const apis = ['/v1', '/api', '/mcp'].map((path) => publicUrl + path);
  return {
    linkset: [
      { anchor: publicUrl + API_CATALOG_PATH, item: apis.map((href) => ({ href })) },
      ...apis.map((anchor) => ({ anchor, ...described })),
    ],
  };
}

/**
 * How calls are authorized (RFC 9728). Keys come from registration, so there is no authorization server: `agent_auth` says
 * where to register.
 */
function protectedResource({ siteName, publicUrl, termsUrl }: SiteTools) {
  return {
    resource: publicUrl,
    resource_name: siteName,
    resource_documentation: `${publicUrl}/auth.md`,
    resource_tos_uri: termsUrl,
    bearer_methods_supported: ['header'],
    agent_auth: {
      skill: `${publicUrl}/auth.md`,
      register_uri: `${publicUrl}/api/agent/register`,
      identity_types_supported: ['anonymous'],
      anonymous: { credential_types_supported: ['api_key'] },
    },
  };
}

/** What this service is, every call and every page, one line each. */
function llmsText(tools: SiteTools, library: DocsLibrary): string {
  const { publicUrl, calls } = tools;
  const pages = library.groups('en').flatMap((group) => group.pages);
  return `${headOf(tools)}
## Calls

${calls.map((call) => callLine(publicUrl, call)).join('\n')}

## Docs

${pages.map(({ name, title, about }) => `- [${title}](${publicUrl}/docs/${name}.md): ${about}`).join('\n')}

## Models

${tools
  .catalog()
  .models.map(({ id, name }) => `- [${id}](${publicUrl}${modelPath(id)}): ${name}`)
  .join('\n')}

## Machine-readable

- [How to register and authenticate](${publicUrl}/auth.md)
- [This service as a skill](${publicUrl}/skill.md)
- [OpenAPI](${publicUrl}/openapi.json)
- [Models and prices](${publicUrl}/api/public/catalog)
- [Status](${publicUrl}/api/public/status)
- [Changelog](${publicUrl}/changelog.json), also as [Atom](${publicUrl}/changelog.atom) and as a [page](${publicUrl}/changelog)
- [API catalog](${publicUrl}/.well-known/api-catalog)
- [The docs for users in one file](${publicUrl}/llms-full.txt)
`;
}

/** The pages for users in full; those for operators only llms.txt links. */
function llmsFullText(tools: SiteTools, library: DocsLibrary): string {
  const groups = library.groups('en').filter(({ group }) => group !== 'operate');
  const pages = groups.flatMap(({ pages }) => pages.flatMap(({ name }) => library.find(name, 'en') ?? []));
  const texts = pages.map(({ name, markdown }) => `Source: ${tools.publicUrl}/docs/${name}.md\n\n${markdown.trim()}`);
  return `${headOf(tools)}\n${texts.join('\n\n---\n\n')}\n`;
}

function headOf({ siteName, publicUrl, supportContact, catalog }: SiteTools): string {
  const { limits, models, find } = catalog();
  const model = find(FREE_MODEL);
  const free = model?.demo ? `${FREE_MODEL}, a demo with built-in text,` : FREE_MODEL;
  const isDemo = models.every(({ demo }) => demo);
  return `# ${siteName}

> One key reaches many model providers, in the OpenAI, Anthropic and Gemini formats, billed in NT$ (TWD) from a prepaid wallet.

Register without a human: POST ${publicUrl}/api/agent/register returns a key with NT$1 of trial credit.
${model ? `The model ${free} works at NT$0: ${limits.free_per_minute} requests a minute, ${limits.free_per_day_zero} a day, ${limits.free_per_day_positive} with a balance.\n` : ''}Every model answer names its upstream channel in the header x-svc-channel.${isDemo ? '\nThis server has demo models only: no model provider is connected.' : ''}
OpenAI base URL: ${publicUrl}/v1 (chat/completions, responses, responses/input_tokens, responses/compact, embeddings, images/generations, images/edits, images/variations, audio/transcriptions, audio/translations, audio/speech, rerank, moderations, models)
Anthropic base URL: ${publicUrl} (v1/messages, v1/messages/count_tokens)
Gemini base URL: ${publicUrl} (v1beta/models/MODEL:generateContent, :streamGenerateContent, :countTokens, :embedContent, :batchEmbedContents)
Price of a call before it is made: POST ${publicUrl}/api/quote with {"endpoint": "/v1/…", "body": {…}}.
MCP server (streamable HTTP): ${publicUrl}/mcp. Its tools register, models and status need no key; only ask costs money.
Send the key as "Authorization: Bearer KEY" or "x-api-key: KEY".
A key for every agent you start: POST ${publicUrl}/api/keys with "budgets" and "rates"; with "delegate": true the new key makes child keys within its own limits.${supportContact === undefined ? '' : `\nHelp and prepaid cards, from people: ${supportContact}`}
`;
}

/** Leads to its description in the OpenAPI document. */
function callLine(publicUrl: string, { method, path, summary, isOpen }: PublicCall): string {
  const pointer = path.replaceAll('~', '~0').replaceAll('/', '~1');
  const link = `${publicUrl}/openapi.json#/paths/${pointer}/${method.toLowerCase()}`;
  return `- [${method} ${path}](${link}): ${summary}${isOpen ? ' (no key needed)' : ''}`;
}
