// A real Chromium, from npm. Every page tells of policy violations, failed requests and script errors: there must be none.

import { readFileSync } from 'node:fs';
import chromiumPackage from '@sparticuz/chromium';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

export interface Visitor {
  page: Page;
  context: BrowserContext;
  /** What went wrong unseen: violations of the policy, errors of scripts, requests that failed. */
  troubles: string[];
  /** What axe finds wrong with the page as it stands. */
  axe(): Promise<string[]>;
  leave(): Promise<void>;
}

export interface VisitorOptions {
  language?: 'zh-TW' | 'en';
  width?: number;
  javaScript?: boolean;
  colorScheme?: 'light' | 'dark';
}

export interface TestBrowser {
  visit(options?: VisitorOptions): Promise<Visitor>;
  close(): Promise<void>;
}

export async function startBrowser(): Promise<TestBrowser> {
  const browser: Browser = await chromium.launch({
    executablePath: await chromiumPackage.executablePath(),
    // No sandbox: tests may run as root, where Chromium has none.
    args: ['--no-sandbox', '--no-proxy-server', '--disable-gpu'],
    headless: true,
  });
  return {
    async visit({ language = 'en', width = 1_280, javaScript = true, colorScheme = 'light' } = {}) {
      const context = await browser.newContext({
        locale: language,
        viewport: { width, height: 900 },
        javaScriptEnabled: javaScript,
        colorScheme,
        timezoneId: 'America/New_York',
        acceptDownloads: true,
      });
      const page = await context.newPage();
      const troubles: string[] = [];
      page.on('pageerror', (error) => troubles.push(`script: ${error.message}`));
      page.on('console', (message) => {
        if (message.type() === 'error') troubles.push(`console: ${message.text()}`);
      });
      page.on('requestfailed', (request) => troubles.push(`request: ${request.url()}`));
      return {
        page,
        context,
        troubles,
        async axe() {
          // A page's policy lets no other script in; a test may.
          await page.evaluate(AXE);
          const found = await page.evaluate(async () => {
            const { axe } = window as unknown as { axe: { run(): Promise<{ violations: AxeViolation[] }> } };
            return (await axe.run()).violations;
          });
          return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
        },
        leave: () => context.close(),
      };
    },
    close: () => browser.close(),
  };
}

interface AxeViolation {
  id: string;
  nodes: { html: string }[];
}
