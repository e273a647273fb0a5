// Texts for machines: how to use the service on one page, and where to report a vulnerability.

import { DAY_MS } from '../kit/clock.ts';
import type { DocsLibrary } from './docs-library.ts';
import { LANGUAGES } from './language.ts';
import { MENU } from './page.tsx';
import { publicAddress } from './parts/public-head.tsx';
import type { SiteTools } from './tools.ts';

const HALF_YEAR_MS = 180 * DAY_MS;

export function machineTexts(tools: SiteTools, library: DocsLibrary): Map<string, () => string> {
  return new Map([
    ['/llms.txt', () => llmsText(tools, library)],
    ['/.well-known/security.txt', () => securityText(tools)],
    ['/robots.txt', () => robotsText(tools)],
    ['/sitemap.txt', () => sitemapText(tools, library)],
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
function sitemapText({ publicUrl }: SiteTools, library: DocsLibrary): string {
  const pages = ['/', ...MENU.map((name) => `/${name}`)].map((path) => ({ path, languages: LANGUAGES }));
  const docs = library
    .groups('en')
    .flatMap((group) => group.pages)
    .map(({ name }) => ({ path: `/docs/${name}`, languages: library.languages(name) }));
  const addresses = [...pages, ...docs].flatMap(({ path, languages }) =>
    languages.map((language) => publicAddress(publicUrl, path, language)),
  );
  return `${addresses.join('\n')}\n`;
}

function llmsText({ siteName, publicUrl, supportContact }: SiteTools, library: DocsLibrary): string {
  const pages = library.groups('en').flatMap((group) => group.pages);
  return `# ${siteName}

> One key reaches many model providers, in the OpenAI and the Anthropic format, billed in NT$ (TWD) from a prepaid wallet.

Register without a human: POST ${publicUrl}/api/agent/register returns a key with NT$1 of trial credit.
The model auto:free works at NT$0. Every model answer names its upstream channel in the header x-svc-channel.
OpenAI base URL: ${publicUrl}/v1 (chat/completions, responses, embeddings, images/generations, models)
Anthropic base URL: ${publicUrl} (v1/messages, v1/messages/count_tokens)
Price of a call before it is made: POST ${publicUrl}/api/quote with {"endpoint": "/v1/…", "body": {…}}.
Send the key as "Authorization: Bearer KEY" or "x-api-key: KEY".
A key for every agent you start: POST ${publicUrl}/api/keys with "budgets" and "rates"; with "delegate": true the new key makes child keys within its own limits.${supportContact === undefined ? '' : `\nHelp and prepaid cards, from people: ${supportContact}`}

## Docs

${pages.map(({ name, title, about }) => `- [${title}](${publicUrl}/docs/${name}.md): ${about}`).join('\n')}

## Machine-readable

- [OpenAPI](${publicUrl}/openapi.json)
- [Models and prices](${publicUrl}/api/public/catalog)
- [Status](${publicUrl}/api/public/status)
`;
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
