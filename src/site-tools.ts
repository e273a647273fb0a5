// The site's tools, from the gateway's: where pages and API meet, and files become pages.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSignInGuard } from './accounts/guard-sign-in.ts';
import { createPasswords } from './accounts/passwords.ts';
import { createSessionHasher } from './accounts/sessions.ts';
import { fault } from './faults/fault.ts';
import { addressOf } from './http/client-address.ts';
import type { HttpTools } from './http/exchange.ts';
import { checkDeclaredBody, readBodyText } from './http/read-body.ts';
import { callModel, MODEL_CALLS } from './http/routes/model-calls.ts';
import { createPriceHistory } from './publishing/price-history.ts';
import type { SiteTools } from './site/tools.ts';

const ROOT = join(import.meta.dir, '..');
const CHAT_PATH = '/v1/chat/completions';

export interface SiteSettings {
  pepper: string;
  securityContact: string;
}

export function createSiteTools(http: HttpTools, { pepper, securityContact }: SiteSettings): SiteTools {
  const history = createPriceHistory(http.store);
  return {
    ...http,
    securityContact,
    docs: readFiles(join(ROOT, 'docs'), /\.md$/),
    assetFiles: readAssets(),
    hashSession: createSessionHasher(pepper),
    passwords: createPasswords(),
    guard: createSignInGuard(http.clock),
    priceHistory: () => history(http.catalog().revision),
    addressOf: (request, peer) => addressOf(http, { request, peer }),
    countKnock: (address) => http.doors.countKnock(address, http.catalog().guards.register_attempts_per_minute),
    readBody(request, maxBytes) {
      checkDeclaredBody(request, maxBytes);
      return readBodyText(request, maxBytes, http.clock);
    },
    async callChat({ request, peer }, key, body) {
      const call = MODEL_CALLS.find(({ path }) => path === CHAT_PATH);
      if (!call) throw new Error(`no call to ${CHAT_PATH}`);
      if (!http.isReady()) throw fault('unavailable', { internal: 'draining' });
      const url = new URL(CHAT_PATH, http.publicUrl);
      const forwardedFor = request.headers.get('x-forwarded-for');
      const exchange = {
        request: new Request(url, {
          method: 'POST',
          body,
          signal: request.signal,
          // The visitor's address counts as that of any caller; nothing else of the browser's headers concerns the call.
          headers: forwardedFor === null ? {} : { 'x-forwarded-for': forwardedFor },
        }),
        url,
        requestId: http.newId('req'),
        envelope: 'openai' as const,
        peer,
        params: {},
        key,
      };
      return callModel(http, exchange, call);
    },
  };
}

/** Text by path below the folder, also from the folders in it. */
function readFiles(folder: string, wanted: RegExp): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => wanted.test(name));
  return new Map(names.sort().map((name) => [name.replaceAll('\\', '/'), readFileSync(join(folder, name), 'utf8')]));
}

/** The parts of the style are one file for browsers. */
function readAssets(): Map<string, Buffer> {
  const folder = join(ROOT, 'src', 'site', 'assets');
  const styles = readFiles(folder, /\.css$/);
  const others = readdirSync(folder).filter((name) => !name.endsWith('.css'));
  return new Map([
    ['site.css', Buffer.from([...styles.values()].join('\n'))],
    ...others.map((name): [string, Buffer] => [name, readFileSync(join(folder, name))]),
  ]);
}
