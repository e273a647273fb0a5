// An operator at the console: in a real browser, or with a browser's manners alone where only the answers matter.

import { createSiteClient, type SiteClient } from '../../site/site-client.ts';
import type { TestBrowser, Visitor, VisitorOptions } from '../../support/browser.ts';
import type { TestGateway } from '../../support/gateway.ts';
import { operatorOf } from '../../support/operator.ts';

export async function visitConsole(
  browser: TestBrowser,
  gateway: TestGateway,
  options?: VisitorOptions,
): Promise<Visitor> {
  const visitor = await browser.visit(options);
  const { page } = visitor;
  await page.goto(gateway.gateway.adminUrl);
  await page.fill('#token', operatorOf(gateway).token);
  await page.click('main button');
  await page.waitForSelector('form[action="/sign-out"]');
  return visitor;
}

export function strangerOf(gateway: TestGateway, language = 'en'): SiteClient {
  return createSiteClient({ url: gateway.gateway.adminUrl }, language);
}

export async function clientOf(gateway: TestGateway, language = 'en'): Promise<SiteClient> {
  const client = strangerOf(gateway, language);
  const { status } = await client.post('/sign-in', { token: operatorOf(gateway).token });
  if (status !== 303) throw new Error(`not signed in: ${status}`);
  return client;
}

/** A field of the first form that has it, as a browser would send it. */
export function fieldOf(html: string, name: string): string {
  const value = new RegExp(`name="${name}"[^>]*? value="([^"]*)"`).exec(html)?.[1];
  if (value === undefined) throw new Error(`no field ${name}`);
  return value;
}

export function textAreaOf(html: string, name: string): string {
  const text = new RegExp(`<textarea[^>]* name="${name}"[^>]*>\\n?([\\s\\S]*?)</textarea>`).exec(html)?.[1];
  if (text === undefined) throw new Error(`no text area ${name}`);
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
