// A real Chromium, from npm. Every page tells of policy violations, failed requests and script errors: there must be none.

import { readFileSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { unpackChromium } from './unpack-chromium.ts';

const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Less than a test has: then it tells what it waited for. */
const PATIENCE_MS = 60_000;

export interface Visitor {
  page: Page;
  context: BrowserContext;
  /** What went wrong unseen: violations of the policy, errors of scripts, requests that failed. */
  problems: string[];
  /** What axe finds wrong with the page as it stands; of all rules, or of some. */
  axe(rules?: readonly string[]): Promise<string[]>;
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
    executablePath: await unpackChromium(),
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
      page.setDefaultTimeout(PATIENCE_MS);
      const problems: string[] = [];
      let hasAxe = false;
      page.on('pageerror', (error) => problems.push(`script: ${error.message}`));
      page.on('console', (message) => {
        // A page that was asked for and refused has a status, which a test looks at itself.
        const isOwnStatus = message.location().url === page.url() && /status of (4\d\d|50[23])/.test(message.text());
        if (message.type() === 'error' && !isOwnStatus) problems.push(`console: ${message.text()}`);
      });
      page.on('requestfailed', (request) => {
        // Downloads, and what a visitor stopped.
        const isStopped = request.failure()?.errorText === 'net::ERR_ABORTED';
        if (!isStopped) problems.push(`request: ${request.url()}`);
      });
      return {
        page,
        context,
        problems,
        async axe(rules) {
          // A page's policy lets no other script in; a test may. The pages that follow have it from their start, where the
          // browser takes what it has compiled before: sent to each page anew, it costs as much as half of its work.
          if (!hasAxe) {
            hasAxe = true;
            await page.addInitScript({ content: AXE });
            await page.evaluate(AXE);
          }
          const found = await page.evaluate(async (only) => {
            const { axe } = window as unknown as { axe: Axe };
            // What passed need not be told, which is most of the work.
            const options = { resultTypes: ['violations'], selectors: false, ...(only ? { runOnly: only } : {}) };
            return (await axe.run(document, options)).violations;
          }, rules);
          return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
        },
        leave: () => context.close(),
      };
    },
    close: () => browser.close(),
  };
}

interface Axe {
  run(place: Document, options: Record<string, unknown>): Promise<{ violations: AxeViolation[] }>;
}

interface AxeViolation {
  id: string;
  nodes: { html: string }[];
}
