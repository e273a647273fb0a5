// The pages that exist so far: what this is, and the docs as Markdown, readable with curl.

import type { Env, Hono } from 'hono';

export interface SiteTools {
  siteName: string;
  publicUrl: string;
  /** Name (without .md) to text. */
  docs: ReadonlyMap<string, string>;
}

const MARKDOWN = { 'content-type': 'text/markdown; charset=utf-8' };

export function addPages<Bindings extends Env>(app: Hono<Bindings>, tools: SiteTools): void {
  app.get('/', () => new Response(homeText(tools), { headers: MARKDOWN }));
  app.get('/docs', () => new Response(docsIndex(tools), { headers: MARKDOWN }));
  app.get('/docs/:page', (context, next) => {
    const text = tools.docs.get(context.req.param('page').replace(/\.md$/, ''));
    return text === undefined ? next() : new Response(text, { headers: MARKDOWN });
  });
}

function homeText({ siteName, publicUrl }: SiteTools): string {
  return `# ${siteName}

One key for many model providers, in the OpenAI and the Anthropic format, billed in NT$ from a prepaid wallet.

Get a key (NT$1 of trial credit, no human needed):

    curl -s -X POST ${publicUrl}/api/agent/register

Models and prices: ${publicUrl}/api/public/catalog
Docs: ${publicUrl}/docs
`;
}

function docsIndex({ docs, publicUrl }: SiteTools): string {
  return `# Docs\n\n${[...docs.keys()].map((name) => `- ${publicUrl}/docs/${name}`).join('\n')}\n`;
}
