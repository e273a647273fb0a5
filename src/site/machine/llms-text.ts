// /llms.txt: what this service is, every call and every page, one line each; /llms-full.txt: the pages for users in full.

import { FREE_MODEL } from '../../catalog/document.ts';
import type { DocsLibrary } from '../docs-library.ts';
import { modelPath } from '../pages/model-facts.ts';
import type { PublicCall, SiteTools } from '../tools.ts';

export function llmsText(tools: SiteTools, library: DocsLibrary): string {
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

/** Without the pages for operators, which only llms.txt links. */
export function llmsFullText(tools: SiteTools, library: DocsLibrary): string {
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
