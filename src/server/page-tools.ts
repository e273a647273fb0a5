// Builds the tools of the site and of the console from the gateway's: connects pages to the API, and files to pages.

import { createSignInGuard } from '../accounts/sign-in/guard-sign-in.ts';
import { createPasswords } from '../accounts/sign-in/passwords.ts';
import { createSessionHasher } from '../accounts/sign-in/sessions.ts';
import type { OperatingTools } from '../admin/actions/tools.ts';
import type { ConsoleTools, TokenCheck } from '../admin/console/tools.ts';
import type { CheckToken } from '../admin/port/guard-token.ts';
import { PortRefused } from '../admin/port/refused.ts';
import { createPriceHistory } from '../catalog/publishing/price-history.ts';
import { createWeekTraffic } from '../catalog/publishing/week-traffic.ts';
import { Fault, fault } from '../faults/fault.ts';
import { addressOf, originOf } from '../http/client-address.ts';
import { pathTemplate } from '../http/description.ts';
import type { HttpTools } from '../http/exchange.ts';
import { bodyTextReader } from '../http/read-body.ts';
import { ROUTES } from '../http/route-table.ts';
import { chatCompletions } from '../http/routes/model-calls.ts';
import type { Log } from '../kit/log.ts';
import { requestUrl } from '../kit/request-url.ts';
import { createSealer } from '../kit/sealed.ts';
import type { SiteTools } from '../site/tools.ts';
import { readShipped } from './shipped-files.ts';

type SiteSettings = { pepper: string } & Pick<
  SiteTools,
  'securityContact' | 'supportContact' | 'termsUrl' | 'privacyUrl'
>;

export function createSiteTools(http: HttpTools, { pepper, ...named }: SiteSettings): SiteTools {
  const history = createPriceHistory(http.store);
  return {
    ...http,
    ...named,
    calls: ROUTES.map(({ method, path, summary, isOpen }) => ({ method, path: pathTemplate(path), summary, isOpen })),
    docs: readDocs(),
    assetFiles: readSiteAssets(),
    hashSession: createSessionHasher(pepper),
    sealer: createSealer(pepper, http.random),
    passwords: createPasswords(),
    guard: createSignInGuard(http.clock),
    weekTraffic: createWeekTraffic(http.store, http.clock),
    priceHistory: () => history(http.catalog().revision, http.clock.now()),
    addressOf: (visitor) => addressOf(http, visitor),
    originOf: (visitor) => originOf(http, visitor),
    countRegisterAttempt: (address) =>
      http.addressGuards.countRegisterAttempt(address, http.catalog().guards.register_attempts_per_minute),
    readBody: bodyTextReader(http.clock),
    async callChat({ request, connection }, { hash }, body) {
      if (!http.isReady()) throw fault('unavailable', { internal: 'draining' });
      const key = await http.authenticator.byHash(hash);
      if (!key) throw fault('invalid_api_key');
      const url = new URL(chatCompletions.path, http.publicUrl);
      const forwardedFor = request.headers.get('x-forwarded-for');
      const exchange = {
        request: new Request(url, {
          method: 'POST',
          body,
          signal: request.signal,
          // Only the visitor's address is taken from the browser's headers.
          headers: forwardedFor === null ? {} : { 'x-forwarded-for': forwardedFor },
        }),
        // The page's path: API responses are open to other sites, responses to a session are not.
        path: requestUrl(request).pathname,
        requestId: http.newId('req'),
        envelope: 'openai' as const,
        connection,
        params: {},
        key,
      };
      const answer = await chatCompletions.handle(http, exchange);
      if (answer instanceof Fault) throw answer;
      return answer;
    },
  };
}

function readDocs(): Map<string, string> {
  const pages = [...readShipped('docs')].filter(([name]) => name.endsWith('.md'));
  return new Map(pages.map(([name, bytes]) => [name, bytes.toString('utf8')]));
}

const TOO_MANY = 429;

export function createConsoleTools(
  operating: OperatingTools,
  check: CheckToken,
  named: { siteName: string; log: Log },
): ConsoleTools {
  /** Turns a refusal of the operator's port into one of the sign-in page. */
  async function checkToken(token: string): Promise<TokenCheck> {
    try {
      await check(token);
      return 'right';
    } catch (error) {
      if (!(error instanceof PortRefused)) throw error;
      return error.status === TOO_MANY ? 'too_many' : 'wrong';
    }
  }
  const files = readShipped('src/admin/console/assets');
  const own = [...files].filter(([name]) => name.endsWith('.js'));
  const style = joined(files, (name) => name.endsWith('.css'));
  return {
    ...operating,
    ...named,
    checkToken,
    assetFiles: new Map([...readSiteAssets(), ...own, ['console.css', style]]),
    readBody: bodyTextReader(operating.clock),
  };
}

/** The style is served as one file, and so are the parts of the playground's script. */
function readSiteAssets(): Map<string, Buffer> {
  const files = readShipped('src/site/assets');
  const isStyle = (name: string) => name.endsWith('.css');
  const isPlay = (name: string) => /^play-.*\.js$/.test(name);
  return new Map([
    ['site.css', joined(files, isStyle)],
    ['play.js', joined(files, isPlay)],
    ...[...files].filter(([name]) => !isStyle(name) && !isPlay(name)),
  ]);
}

function joined(files: ReadonlyMap<string, Buffer>, isPart: (name: string) => boolean): Buffer {
  const parts = [...files].filter(([name]) => isPart(name));
  return Buffer.from(parts.map(([, bytes]) => bytes.toString('utf8')).join('\n'));
}
