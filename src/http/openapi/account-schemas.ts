// What the calls on an account take and answer.

import { CHARGE_RULES } from '../../store/rows.ts';
import {
  amount,
  bodyOf,
  COUNT,
  closedBodyOf,
  FLAG,
  idOf,
  listOf,
  type Members,
  NUMBER,
  objectOf,
  oneWord,
  orNull,
  refTo,
  type Schema,
  TEXT,
  TIME,
  told,
  URL,
} from './schema.ts';

const API_KEY = told('Shown once; only a keyed hash of it is stored.', {
  ...TEXT,
  pattern: '^sk-svc-[0-9A-Za-z]{49}$',
});

const limits = objectOf({
  free_per_minute: COUNT,
  free_per_day_zero: COUNT,
  free_per_day_positive: COUNT,
  register_per_ip: COUNT,
  register_per_day: COUNT,
  paid_per_minute: COUNT,
  in_flight: COUNT,
});

const registration = objectOf({
  api_key: API_KEY,
  free_model: told('Works at NT$0.', { const: 'auto:free' }),
  ...amount('trial', 'trial credit'),
  account_id: idOf('acc'),
  key_id: idOf('key'),
  ...amount('balance', 'the balance'),
  base_url: URL,
  openai_base_url: told('What clients of the OpenAI format take as their base URL.', URL),
  anthropic_base_url: told('The same for the Anthropic format.', URL),
  account_url: URL,
  pricing_url: URL,
  docs_url: URL,
  status_url: URL,
  security_url: URL,
  limits: refTo('Limits'),
  env: told(
    'Variables that SDKs and command lines read.',
    objectOf({
      OPENAI_BASE_URL: URL,
      OPENAI_API_KEY: TEXT,
      ANTHROPIC_BASE_URL: URL,
      ANTHROPIC_AUTH_TOKEN: TEXT,
      ANTHROPIC_MODEL: TEXT,
    }),
  ),
  next_steps: listOf(objectOf({ why: TEXT, run: told('A line that runs when pasted into a shell.', TEXT) })),
});

const keyMembers: Members = {
  id: idOf('key'),
  name: orNull(TEXT),
  last4: { ...TEXT, minLength: 4, maxLength: 4 },
  manage: told('May use /api/keys.', FLAG),
  models: told('Allow-list of model ids; null: all models.', orNull(listOf(TEXT))),
  daily_budget_ntd: told('NT$ per day in Taipei; null: no budget.', orNull(NUMBER)),
  daily_budget_nano: orNull(TEXT),
  expires_at: orNull(TIME),
  created_at: TIME,
};

/** Only where the key has a budget. */
const dayMembers: Members = {
  ...amount('daily_spent', 'what the key spent today'),
  ...amount('daily_held', 'what its running requests may still cost'),
  ...amount('daily_left', 'the budget less both'),
  daily_resets_at: TIME,
};

const keyFields = closedBodyOf({
  name: orNull({ ...TEXT, maxLength: 100 }),
  models: told('Ids or aliases; null lifts the restriction.', orNull(listOf(TEXT, { minItems: 1, maxItems: 500 }))),
  daily_budget_ntd: told('At most 9 decimals; null lifts the restriction.', orNull({ ...NUMBER, minimum: 0 })),
  expires_at: told('In the future; null lifts the restriction.', orNull(TIME)),
  manage: told('Not with any restriction.', FLAG),
});

const allowance = objectOf({ limit: COUNT, used: COUNT, remaining: COUNT, resets_at: TIME });

const account = objectOf({
  account_id: idOf('acc'),
  key: refTo('OwnKey'),
  ...amount('balance', 'the sum of the entries'),
  ...amount('held', 'what running requests may still cost'),
  ...amount('available', 'balance less held'),
  free: objectOf({ minute: refTo('Allowance'), day: refTo('Allowance') }),
  limits: refTo('Limits'),
});

const counted: Members = {
  input_tokens: COUNT,
  cached_input_tokens: COUNT,
  cache_write_5m_tokens: COUNT,
  cache_write_1h_tokens: COUNT,
  output_tokens: COUNT,
  reasoning_tokens: told('Part of output_tokens.', COUNT),
  images: COUNT,
};

const recordMembers: Members = {
  request_id: idOf('req'),
  at: TIME,
  key_id: idOf('key'),
  model: TEXT,
  channel: told('The value of x-svc-channel; null if no channel served.', orNull(TEXT)),
  endpoint: TEXT,
  status: told('ok, the code of an error, client_gone, time_limit or gateway_died.', TEXT),
  stream: FLAG,
  ...counted,
  first_token_ms: orNull(COUNT),
  total_ms: orNull(COUNT),
  ...amount('cost', 'what was charged'),
  ...amount('balance_after', 'the balance after it'),
  estimated: told('Counted by the gateway, because the upstream did not report all of it.', FLAG),
  revision: told('The catalog revision that priced it.', COUNT),
};

const usagePage = objectOf({
  object: { const: 'list' },
  data: listOf(refTo('UsageRecord')),
  has_more: FLAG,
  next_cursor: orNull(TEXT),
  totals: told(
    'Of everything the filters find, not only of this page.',
    objectOf({ requests: COUNT, ...counted, ...amount('cost', 'what was charged') }),
  ),
});

const receipt = objectOf({
  ...recordMembers,
  rule: told('Which rule of the billing table decided the cost; null for requests from before there were rules.', {
    type: ['string', 'null'],
    enum: [...CHARGE_RULES, null],
  }),
  explanation: told('The rule in one sentence, with its amounts; null without a rule.', orNull(TEXT)),
  lines: told(
    'They sum to the cost. `written_off` takes off what is not charged; `loss_guard` is what is charged because the requests without a charge of this day are used up.',
    listOf(objectOf({ bucket: TEXT, quantity: COUNT, unit_price_nano: TEXT, amount_nano: TEXT })),
  ),
  attempts: listOf(objectOf({ channel: TEXT, outcome: TEXT, ms: { ...NUMBER, minimum: 0 } })),
});

const redeemed = objectOf({
  card_serial: TEXT,
  ...amount('amount', 'the worth of the card'),
  ...amount('balance', 'the balance after it'),
  already_redeemed: told('This account had redeemed the card before; nothing was added now.', FLAG),
});

const price = orNull({ ...NUMBER, minimum: 0 });

const catalog = objectOf({
  object: { const: 'list' },
  currency: { const: 'TWD' },
  unit: { const: 'NT$ per 1M tokens' },
  revision: COUNT,
  updated_at: TIME,
  data: listOf(
    objectOf({
      id: TEXT,
      name: TEXT,
      aliases: listOf(TEXT),
      kinds: listOf(oneWord('chat', 'embeddings', 'images')),
      endpoints: listOf(TEXT),
      context_tokens: COUNT,
      max_output_tokens: COUNT,
      free: FLAG,
      price: told(
        'After fallback; 0 if free, null where it does not apply. `image` is per image.',
        objectOf({
          input: price,
          cached_input: price,
          cache_write_5m: price,
          cache_write_1h: price,
          output: price,
          image: price,
        }),
      ),
    }),
  ),
});

const state = oneWord('operational', 'degraded', 'down', 'unknown');
const percentiles = objectOf({ p50: orNull(NUMBER), p95: orNull(NUMBER) });
const figures: Members = {
  requests: COUNT,
  success_rate: orNull({ ...NUMBER, minimum: 0, maximum: 1 }),
  first_token_ms: percentiles,
  total_ms: percentiles,
};

const channelStatus: Members = {
  name: TEXT,
  state,
  last_5_minutes: objectOf(figures),
  last_hour: objectOf(figures),
  history: listOf(objectOf({ hour: TIME, ...figures })),
};
const inBothLanguages = objectOf({ en: TEXT, 'zh-TW': TEXT });

const status = objectOf({
  object: { const: 'list' },
  updated_at: TIME,
  data: listOf(
    objectOf({
      id: TEXT,
      free: FLAG,
      state,
      channels: listOf(
        bodyOf(
          {
            ...channelStatus,
            days: told(
              'Only if asked for; oldest first.',
              listOf(objectOf({ day: { ...TEXT, format: 'date' }, state })),
            ),
          },
          Object.keys(channelStatus),
        ),
      ),
    }),
  ),
  incidents: told(
    'Incidents that the operator published, newest first.',
    listOf(
      objectOf({
        id: idOf('inc'),
        started_at: TIME,
        ended_at: orNull(TIME),
        title: inBothLanguages,
        text: inBothLanguages,
      }),
    ),
  ),
});

export const ACCOUNT_SCHEMAS: Readonly<Record<string, Schema>> = {
  Registration: registration,
  Limits: limits,
  Key: objectOf(keyMembers),
  OwnKey: bodyOf({ ...keyMembers, ...dayMembers }, Object.keys(keyMembers)),
  NewKey: objectOf({ api_key: API_KEY, ...keyMembers }),
  KeyFields: keyFields,
  KeyList: objectOf({ object: { const: 'list' }, data: listOf(refTo('Key')) }),
  Rotation: closedBodyOf({
    grace_seconds: told('How long the old key still works.', { type: 'integer', minimum: 0, maximum: 86_400 }),
  }),
  DeletedKey: objectOf({ id: idOf('key'), deleted: { const: true } }),
  Allowance: allowance,
  Account: account,
  UsageRecord: objectOf(recordMembers),
  UsagePage: usagePage,
  Receipt: receipt,
  Card: bodyOf({ code: told('PC- and 28 characters; case, spaces and dashes do not matter.', TEXT) }, ['code']),
  Redeemed: redeemed,
  Catalog: catalog,
  Status: status,
};
