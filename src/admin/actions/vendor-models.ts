// The list of models that a vendor offers, as far as it can be trusted: names, context, output limit and, where the list has
// them, features and prices. Anything else in the answer is dropped.

import type { Channel } from '../../catalog/catalog.ts';
import { MODEL_FEATURES, type ModelFeature } from '../../catalog/document.ts';
import { listOf } from '../../catalog/loose-fields.ts';
import { isObject, type JsonObject } from '../../kit/json/json.ts';
import { kindOfModel } from '../../vendors/model-kinds.ts';
import { callChannel } from './call-channel.ts';
import type { OperatingTools } from './tools.ts';

export type VendorModel = ReturnType<typeof readModel>[number];

const MAX_BYTES = 8 * 1024 * 1024;
const TIMEOUT_MS = 20_000;
const MAX_MODELS = 2_000;
const NAME = /^[\w.:/@+-]{1,200}$/;

const CONTEXT_FIELDS = [
  ...['context_length', 'context_window', 'max_context_length', 'max_model_len'],
  ...['max_input_tokens', 'inputTokenLimit'],
];
const OUTPUT_FIELDS = ['max_completion_tokens', 'max_output_tokens', 'outputTokenLimit'];

export function listVendorModels(tools: Pick<OperatingTools, 'clock' | 'findUpstream'>, channel: Channel) {
  return callChannel(tools, channel, {
    send: (upstream, signal) => upstream.listModels(signal),
    read: readModels,
    maxBytes: MAX_BYTES,
    timeoutMs: TIMEOUT_MS,
  });
}

/** OpenAI and Anthropic have `data`, Google has `models`. Undefined if the answer has neither. */
function readModels(answer: JsonObject): VendorModel[] | undefined {
  const list = [answer.data, answer.models].find(Array.isArray);
  if (!list) return undefined;
  const read = listOf(list).flatMap((entry) => (isObject(entry) ? readModel(entry) : []));
  const byName = new Map(read.map((model) => [model.model, model]));
  return [...byName.values()].slice(0, MAX_MODELS).sort((a, b) => (a.model < b.model ? -1 : 1));
}

function readModel(entry: JsonObject) {
  const name = [entry.id, entry.name].find((value) => typeof value === 'string')?.replace(/^models\//, '');
  if (name === undefined || !NAME.test(name)) return [];
  const kind = kindOfModel(name, entry);
  if (kind === null) return [];
  return [
    {
      /** Its name at the upstream. */
      model: name,
      kind,
      contextTokens: tokensIn(entry, CONTEXT_FIELDS),
      maxOutputTokens: tokensIn(entry, OUTPUT_FIELDS) ?? tokensIn(entry.top_provider, OUTPUT_FIELDS),
      features: featuresOf(entry),
      /** For one million tokens. */
      usd: pricesOf(entry.pricing),
    },
  ];
}

function tokensIn(entry: unknown, fields: readonly string[]): number | undefined {
  if (!isObject(entry)) return undefined;
  return fields
    .map((field) => entry[field])
    .find((value): value is number => Number.isSafeInteger(value) && Number(value) > 0);
}

/** OpenRouter lists US$ for one token, as decimal texts; other forms are not known well enough to charge by them. */
function pricesOf(pricing: unknown): { input: string; output: string } | undefined {
  if (!isObject(pricing)) return undefined;
  const [input, output] = [perMillion(pricing.prompt), perMillion(pricing.completion)];
  return input === undefined || output === undefined ? undefined : { input, output };
}

const DECIMAL = /^(\d{1,6})(?:\.(\d{1,15}))?$/;
const MILLION_DIGITS = 6;

/** Moves the point, without rounding. */
function perMillion(price: unknown): string | undefined {
  const [, whole, decimals = ''] = DECIMAL.exec(typeof price === 'string' ? price : '') ?? [];
  if (whole === undefined) return undefined;
  const digits = decimals.padEnd(MILLION_DIGITS, '0');
  const moved = `${whole}${digits.slice(0, MILLION_DIGITS)}`.replace(/^0+(?=\d)/, '');
  const rest = digits.slice(MILLION_DIGITS).replace(/0+$/, '');
  return rest === '' ? moved : `${moved}.${rest}`;
}

const BY_PARAMETER: Readonly<Record<string, ModelFeature>> = {
  tools: 'tools',
  structured_outputs: 'structured_output',
  reasoning: 'reasoning',
};
const BY_INPUT: Readonly<Record<string, ModelFeature>> = { image: 'vision', file: 'pdf', audio: 'audio' };
const BY_CAPABILITY: Readonly<Record<string, ModelFeature>> = {
  structured_outputs: 'structured_output',
  thinking: 'reasoning',
  image_input: 'vision',
  pdf_input: 'pdf',
};

function featuresOf({ architecture, supported_parameters, capabilities }: JsonObject): ModelFeature[] {
  const inputs = isObject(architecture) ? listOf(architecture.input_modalities) : [];
  const supported = isObject(capabilities) ? capabilities : {};
  const found = new Set([
    ...listOf(supported_parameters).map((name) => BY_PARAMETER[String(name)]),
    ...inputs.map((name) => BY_INPUT[String(name)]),
    ...Object.entries(supported).map(([name, value]) =>
      isObject(value) && value.supported === true ? BY_CAPABILITY[name] : undefined,
    ),
  ]);
  return MODEL_FEATURES.filter((feature) => found.has(feature));
}
