// An agent registers itself: account, key, trial credit and limit slots in one transaction, and an answer that tells it
// everything it needs to make its first call.

import type { Catalog } from '../catalog/catalog.ts';
import { FREE_MODEL, type Limits } from '../catalog/document.ts';
import { fault } from '../faults/fault.ts';
import type { Authenticator } from '../keys/authenticator.ts';
import { lastFour } from '../keys/key-format.ts';
import { newKeyRow } from '../keys/new-key-row.ts';
import type { Clock } from '../kit/clock.ts';
import type { Idempotency } from '../kit/idempotency.ts';
import type { NewId } from '../kit/ids.ts';
import { moneyFields, NANO_PER_NTD } from '../kit/money.ts';
import type { Random } from '../kit/random.ts';
import { limitFault } from '../limits/admission-fault.ts';
import type { Store } from '../store/store.ts';
import { nextSteps } from './next-steps.ts';
import { keyTextOf, newKeyText, type Replayable, replayOf } from './replays.ts';

export interface RegisterTools {
  store: Store;
  clock: Clock;
  random: Random;
  newId: NewId;
  authenticator: Authenticator;
  catalog(): Catalog;
  publicUrl: string;
}

const TRIAL = NANO_PER_NTD;
const PACED = 'Come back when a place is free again: the registrations of this hour are used up.';

/** `address` is the keyed hash of the client's address. */
export async function registerAgent(
  tools: RegisterTools,
  address: string,
  idempotency: Idempotency | undefined,
): Promise<Replayable<ReturnType<typeof describe>>> {
  const { clock, newId } = tools;
  const { limits, guards } = tools.catalog();
  const told: Told = { publicUrl: tools.publicUrl, limits };
  const at = clock.now();
  const accountId = newId('acc');
  const apiKey = newKeyText(tools.random, idempotency);
  const result = await tools.store.commit('register', {
    accountId,
    key: newKeyRow({
      keyId: newId('key'),
      accountId,
      hash: tools.authenticator.hash(apiKey),
      last4: lastFour(apiKey),
      manage: true,
      createdAt: at,
    }),
    address,
    at,
    trial: TRIAL,
    told: JSON.stringify(told),
    limits: {
      perAddress: limits.register_per_ip,
      perDay: limits.register_per_day,
      perHour: guards.register_per_hour ?? undefined,
    },
    replay: replayOf(idempotency),
  });
  if (!result.ok) {
    if (result.reason === 'idempotency_key_reused') throw fault('idempotency_key_reused');
    const isPace = result.reason === 'registration_site_limit' && result.isPace;
    throw limitFault(result.reason, result.allowance, at, { message: isPace ? PACED : undefined });
  }
  const { replayedSalt } = result;
  const given = keyTextOf(apiKey, idempotency, replayedSalt);
  const toldFirst = result.told === undefined ? told : (JSON.parse(result.told) as Told);
  return { answer: describe(toldFirst, given, result), isReplay: replayedSalt !== undefined };
}

/** What the answer says of this service, which may change before the call is repeated. */
interface Told {
  publicUrl: string;
  limits: Limits;
}

function describe(
  { publicUrl, limits }: Told,
  apiKey: string,
  { accountId, keyId, balance }: { accountId: string; keyId: string; balance: bigint },
) {
  return {
    api_key: apiKey,
    free_model: FREE_MODEL,
    ...moneyFields('trial', TRIAL),
    account_id: accountId,
    key_id: keyId,
    ...moneyFields('balance', balance),
    base_url: publicUrl,
    openai_base_url: `${publicUrl}/v1`,
    anthropic_base_url: publicUrl,
    account_url: `${publicUrl}/account`,
    pricing_url: `${publicUrl}/pricing`,
    docs_url: `${publicUrl}/docs`,
    status_url: `${publicUrl}/status`,
    security_url: `${publicUrl}/security`,
    limits,
    env: {
      OPENAI_BASE_URL: `${publicUrl}/v1`,
      OPENAI_API_KEY: apiKey,
      ANTHROPIC_BASE_URL: publicUrl,
      ANTHROPIC_AUTH_TOKEN: apiKey,
      ANTHROPIC_MODEL: FREE_MODEL,
    },
    next_steps: nextSteps(publicUrl, apiKey),
  };
}
