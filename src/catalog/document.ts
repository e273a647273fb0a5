// The schema of the catalog document: the one source of types, validation and error paths. Unknown fields are refused,
// because a misspelt price or limit must not be ignored.

import { z } from 'zod';
import { NANO_PER_NTD } from '../kit/money.ts';
import { isTaxId } from '../kit/tax-id.ts';
import { CHANNEL_KINDS, ENDPOINTS, MODEL_KINDS } from '../vendors/endpoints.ts';
import { MID_SYSTEM, QUIRKS_NAMES } from '../vendors/quirks.ts';
import { amount, moment, priceTable, salePrice } from './price-shape.ts';

/** The value of `x-svc-channel` when no upstream was called. */
export const RESERVED_CHANNEL = 'gateway';
/** The model that needs no balance; registration and errors refer to it. */
export const FREE_MODEL = 'auto:free';
/** For models that state no context. */
export const DEFAULT_CONTEXT_TOKENS = 128_000;
/** The maximum daily losses per account. */
const DEFAULT_LOSS_PER_DAY = 5n * NANO_PER_NTD;
/** Printed by `config export` in place of a literal secret; applying it keeps the stored value. */
export const KEPT_SECRET = '<kept>';

/** Features of a model, stated by the operator. They are shown and never decide whether a request is refused. */
export const MODEL_FEATURES = ['tools', 'structured_output', 'reasoning', 'vision', 'pdf', 'audio'] as const;
export type ModelFeature = (typeof MODEL_FEATURES)[number];

const channelName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,62}$/,
    'must have 1 to 63 characters, only a-z, 0-9, ".", "_" and "-", and begin with a letter or a digit',
  )
  .refine((name) => name !== RESERVED_CHANNEL, `"${RESERVED_CHANNEL}" is reserved`);
const modelId = z
  .string()
  .max(100)
  .regex(
    /^[a-z0-9][a-z0-9._-]*(:[a-z0-9-]+)?$/,
    'must have only a-z, 0-9, ".", "_" and "-", begin with a letter or a digit, and may end like ":free"',
  );
const httpUrl = z
  .string('must be an http or https URL')
  .refine((text) => /^https?:\/\/[^\s/]+/.test(text) && URL.canParse(text), 'must be an http or https URL');
const wholeNumber = (least: number, most = 1_000_000_000) =>
  z.number().int('must be a whole number').min(least).max(most);

const firstTokenMs = z.union([z.literal('auto'), wholeNumber(1, 600_000)], {
  error: 'must be "auto" or a whole number of milliseconds from 1 to 600000',
});

const timeouts = z
  .strictObject({
    connect_ms: wholeNumber(1, 60_000).default(2_000),
    first_token_ms: firstTokenMs.default('auto'),
    idle_ms: wholeNumber(1, 600_000).default(60_000),
    total_ms: wholeNumber(1, 1_200_000).default(600_000),
  })
  .prefault({});

const channel = z.strictObject({
  name: channelName,
  kind: z.enum(CHANNEL_KINDS),
  /** False: no route uses the channel until it is switched on again. */
  enabled: z.boolean().default(true),
  base_url: httpUrl.optional(),
  anthropic_base_url: httpUrl.nullish(),
  // An upstream of kind gemini has a single endpoint, which need not be named.
  endpoints: z
    .array(z.enum(ENDPOINTS).exclude(['gemini']))
    .min(1)
    .optional(),
  api_key: z.string().min(1).optional(),
  /** For which requests to AWS are signed; by default the one in the host. */
  region: z
    .string()
    .regex(/^[a-z0-9-]{2,30}$/, 'must be the name of a region, such as us-east-1')
    .optional(),
  quirks: z.enum(QUIRKS_NAMES).optional(),
  mid_system: z.enum(MID_SYSTEM).optional(),
  prefill: z.boolean().default(false),
  drain_on_abort: z.boolean().default(false),
  /** Threshold of the vendor's prepaid credit, in its currency; null: no alarm. */
  balance_alarm: z.number().min(0).max(1_000_000_000).nullable().optional(),
  timeouts,
});

const route = z.strictObject({
  channel: z.string(),
  model: z.string().min(1).max(200),
  priority: wholeNumber(1, 1_000).default(1),
  weight: wholeNumber(1, 1_000).default(1),
  prefill: z.boolean().optional(),
  first_token_ms: firstTokenMs.optional(),
  /** The upstream's prices, in the same form as `price`; visible only to the operator. */
  cost: priceTable(true).optional(),
});

const about = z.string().min(1).max(600);

const model = z.strictObject({
  id: modelId,
  name: z.string().min(1).max(100).optional(),
  /** Shown on the page of the model, by language. */
  description: z.strictObject({ en: about.optional(), 'zh-TW': about.optional() }).default({}),
  features: z.array(z.enum(MODEL_FEATURES)).default([]),
  aliases: z.array(modelId).default([]),
  kinds: z.array(z.enum(MODEL_KINDS)).min(1).default(['chat']),
  /** Defaults to DEFAULT_CONTEXT_TOKENS, with a warning where that may cost money. */
  context_tokens: wholeNumber(1).optional(),
  max_output_tokens: wholeNumber(1).default(16_384),
  price: z.union([z.literal('free'), salePrice], {
    error: 'must be "free" or a table of prices (input, output, …)',
  }),
  routes: z.array(route).min(1, 'needs at least one route'),
  fallbacks: z.array(modelId).default([]),
  hedge: z
    .union([z.enum(['auto', 'off']), wholeNumber(1, 600_000)], {
      error: 'must be "auto", "off" or a whole number of milliseconds from 1 to 600000',
    })
    .default('auto'),
  /** From then on the model is not served. */
  retires_at: moment.optional(),
  /** The model to use instead. */
  replaced_by: modelId.optional(),
  /** The treatment of its calls then: refused, or served by `replaced_by`. */
  on_retired: z.enum(['refuse', 'replace']).default('refuse'),
});

const limits = z
  .strictObject({
    free_per_minute: wholeNumber(0).default(6),
    free_per_day_zero: wholeNumber(0).default(100),
    free_per_day_positive: wholeNumber(0).default(300),
    register_per_ip: wholeNumber(0).default(3),
    register_per_day: wholeNumber(0).default(200),
    paid_per_minute: wholeNumber(0).default(600),
    in_flight: wholeNumber(0).default(32),
  })
  .prefault({});

const guards = z
  .strictObject({
    free_input_tokens: wholeNumber(1).nullable().default(64_000),
    free_output_tokens: wholeNumber(1).nullable().default(4_096),
    free_in_flight: wholeNumber(1).nullable().default(4),
    free_per_address_day: wholeNumber(1).nullable().default(null),
    register_attempts_per_minute: wholeNumber(1).nullable().default(30),
    register_per_hour: wholeNumber(1).nullable().default(null),
    bad_keys_per_minute: wholeNumber(1).nullable().default(30),
    suspend_unused_days: wholeNumber(1, 3_650).nullable().default(null),
    usage_months: wholeNumber(1, 1_200).nullable().default(24),
    loss_per_account_day: amount(true).nullable().default(DEFAULT_LOSS_PER_DAY),
    requests_in_flight: wholeNumber(1).default(4_000),
    body_megabytes_in_flight: wholeNumber(25, 100_000).default(512),
  })
  .prefault({});

const line = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(200, 'must have at most 200 characters')
  .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), 'must be one line without control characters');

/** The issuer of statements and cards, and the tax included in all prices. */
export const issuerShape = z
  .strictObject({
    name: line.nullable().default(null),
    tax_id: z
      .string()
      .refine(isTaxId, 'must be a tax id of 8 digits with a right check digit')
      .nullable()
      .default(null),
    address: line.nullable().default(null),
    phone: line.nullable().default(null),
    /** How customers get an invoice. */
    invoice_note: line.nullable().default(null),
    /** Percent; every price includes it. */
    tax: z
      .number()
      .int('must be a whole number')
      .min(0, 'must be from 0 to 100')
      .max(100, 'must be from 0 to 100')
      .default(5),
  })
  .prefault({});

export const documentShape = z.strictObject({
  channels: z.array(channel).min(1, 'needs at least one channel'),
  models: z.array(model).min(1, 'needs at least one model'),
  limits,
  guards,
  issuer: issuerShape,
});

export type Document = z.output<typeof documentShape>;
export type DocumentChannel = Document['channels'][number];
export type DocumentModel = Document['models'][number];
export type Limits = Document['limits'];
export type Guards = Document['guards'];
export type Issuer = Document['issuer'];
