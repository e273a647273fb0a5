// Tools of the site. It reads through the same functions as the API, and calls models the same way.

import type { KeyTools } from '../accounts/keys/manage-keys.ts';
import type { RedeemTools } from '../accounts/redeem-card.ts';
import type { Origin, RegisterTools } from '../accounts/register-agent.ts';
import type { SignInTools } from '../accounts/sign-in/sign-in.ts';
import type { ReceiptTools } from '../accounts/usage/show-receipt.ts';
import type { TestTools } from '../accounts/webhooks/manage-webhooks.ts';
import type { PriceHistory } from '../catalog/publishing/price-history.ts';
import type { PublicStatus } from '../catalog/publishing/public-status.ts';
import type { WeekOf } from '../catalog/publishing/week-traffic.ts';
import type { Connection } from '../kit/connection.ts';
import type { Log } from '../kit/log.ts';
import type { Load } from '../limits/load.ts';
import type { KeyRow } from '../store/rows.ts';
import type { FlashTools } from './cookies.ts';

interface Visitor {
  request: Request;
  connection: Connection;
}

/** A call of the public API, as lists of calls name it. */
export interface PublicCall {
  method: string;
  /** Such as /api/keys/{id}. */
  path: string;
  summary: string;
  isOpen: boolean;
}

export interface SiteTools extends RegisterTools, KeyTools, RedeemTools, ReceiptTools, SignInTools, FlashTools {
  siteName: string;
  log: Log;
  load: Load;
  /** False while draining. */
  isReady(): boolean;
  webhooks: TestTools;
  calls: readonly PublicCall[];
  /** Text by path below docs/. */
  docs: ReadonlyMap<string, string>;
  assetFiles: ReadonlyMap<string, Buffer>;
  /** Where to report a vulnerability: an address that starts with mailto: or https:, if the operator set one. */
  securityContact: string | undefined;
  /** Whom customers ask for help: an address of the same form. */
  supportContact: string | undefined;
  /** The operator's terms of service and privacy policy, if there are pages of them. */
  termsUrl: string | undefined;
  privacyUrl: string | undefined;
  status(): Promise<PublicStatus>;
  weekTraffic(): Promise<WeekOf>;
  priceHistory(): Promise<PriceHistory>;
  /** Keyed hash of the visitor's address. */
  addressOf(visit: Visitor): string;
  originOf(visit: Visitor): Origin;
  /** Counts a request to register; throws `rate_limited`. */
  countRegisterAttempt(address: string): void;
  /** Throws if the body is too large, too slow or no text. */
  readBody(request: Request, maxBytes: number): Promise<string>;
  /** POST /v1/chat/completions for a visitor who is signed in. */
  callChat(visit: Visitor, key: KeyRow, body: string): Promise<Response>;
}
