// The list of models, and one model of it, in one shape that clients of both vendors' formats read.

export interface ListedModel {
  id: string;
  /** The model that `id` is another name of. */
  aliasOf: string | undefined;
  name: string;
  /** The API paths that it serves. */
  endpoints: readonly string[];
  /** When the catalog was applied. */
  updatedAt: number;
  inputTokens: number;
  outputTokens: number;
  /** Answers are built in. */
  demo: boolean;
  free: boolean;
  /** As the public catalog has it. */
  price: object;
  priceUnit: string;
}

export function writeModelList(models: readonly ListedModel[]) {
  const data = models.map(writeModel);
  return {
    object: 'list',
    data,
    has_more: false,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

/** Members that the type of Anthropic's SDK promises. Every model here is active; the rest is unknown. */
const PROMISED = { lifecycle: 'active', deprecated_at: null, retires_at: null, line: null, capabilities: null };

export function writeModel(model: ListedModel) {
  const { id, aliasOf, name, updatedAt, inputTokens, outputTokens, demo, free, price, priceUnit } = model;
  return {
    id,
    object: 'model',
    type: 'model',
    endpoints: model.endpoints,
    created: Math.floor(updatedAt / 1000),
    created_at: new Date(updatedAt).toISOString(),
    owned_by: 'gateway',
    display_name: name,
    max_input_tokens: inputTokens,
    max_tokens: outputTokens,
    ...(demo ? { demo: true } : {}),
    free,
    price,
    price_unit: priceUnit,
    ...PROMISED,
    ...(aliasOf === undefined ? {} : { alias_of: aliasOf }),
  };
}
