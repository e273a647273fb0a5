// Builds the console's tools from the gateway's: the operator's functions, the site's assets, and the token check.

import type { OperatingTools } from '../admin/actions/tools.ts';
import type { ConsoleTools, TokenCheck } from '../admin/console/tools.ts';
import type { CheckToken } from '../admin/port/guard-token.ts';
import { PortRefused } from '../admin/port/refused.ts';
import { bodyTextReader } from '../http/read-body.ts';
import type { Log } from '../kit/log.ts';
import { readShipped } from './shipped-files.ts';

interface ConsoleSettings {
  siteName: string;
  log: Log;
  /** Style, script and logo of the site. */
  siteAssets: ReadonlyMap<string, Buffer>;
  checkToken(token: string): Promise<TokenCheck>;
}

/** Turns a refusal of the operator's port into one of the sign-in page. */
export function tokenCheck(check: CheckToken): ConsoleSettings['checkToken'] {
  return async (token) => {
    try {
      await check(token);
      return 'right';
    } catch (error) {
      if (!(error instanceof PortRefused)) throw error;
      return error.status === TOO_MANY ? 'too_many' : 'wrong';
    }
  };
}

const TOO_MANY = 429;

export function createConsoleTools(
  operating: OperatingTools,
  { siteAssets, ...settings }: ConsoleSettings,
): ConsoleTools {
  return {
    ...operating,
    ...settings,
    assetFiles: new Map([...siteAssets, ...readAssets()]),
    readBody: bodyTextReader(operating.clock),
  };
}

/** The style is served as one file. */
function readAssets(): [name: string, content: Buffer][] {
  const files = [...readShipped('src/admin/console/assets')];
  const styles = files.filter(([name]) => name.endsWith('.css')).map(([, bytes]) => bytes.toString('utf8'));
  return [...files.filter(([name]) => name.endsWith('.js')), ['console.css', Buffer.from(styles.join('\n'))]];
}
