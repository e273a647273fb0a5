// Tools of the console: the operator's functions and the sign-in.

import type { Log } from '../../kit/log.ts';
import { ACTORS } from '../../store/rows.ts';
import type { OperatingTools } from '../actions/tools.ts';

export type TokenCheck = 'right' | 'wrong' | 'too_many';

export interface ConsoleTools extends OperatingTools {
  siteName: string;
  log: Log;
  assetFiles: ReadonlyMap<string, Buffer>;
  /** Slow for a wrong token; after too many, it refuses unchecked. */
  checkToken(token: string): Promise<TokenCheck>;
  /** Throws a fault if the body is too large or too slow, or, as `invalid_request`, compressed or not UTF-8. */
  readBody(request: Request, maxBytes: number): Promise<string>;
}

/** The actor of the console is the holder of the token. */
export const ACTOR = ACTORS.token;

/** The port listens on loopback as plain HTTP, whatever the public address of the service is. */
export const OWN_URL = 'http://127.0.0.1';
