// The list of models, and one model of it, in one shape that clients of both vendors' formats read.

export interface ListedModel {
  id: string;
  /** The model that `id` is another name of. */
  aliasOf: string | undefined;
  name: string;
  /** Its members `description` and `features`, if it has them. */
  described: { description?: object; features?: readonly string[] };
  /** The API paths that it serves. */
  endpoints: readonly string[];
  /** When the catalog was applied. */
  updatedAt: number;
  inputTokens: number;
  outputTokens: number;
  /** Answers are built in. */
  demo: boolean;
  free: boolean;
  /** Undefined if no date is set. */
  retirement: { at: number; deprecatedAt: number; successor: string | undefined } | undefined;
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

/** Members that Anthropic's SDK requires and whose values are unknown here. */
const PROMISED = { lifecycle: 'active', deprecated_at: null, retires_at: null, line: null, capabilities: null };

function writeRetirement({ at, deprecatedAt, successor }: NonNullable<ListedModel['retirement']>) {
  return {
    lifecycle: 'deprecated',
    deprecated_at: new Date(deprecatedAt).toISOString(),
    retires_at: new Date(at).toISOString(),
    ...(successor === undefined ? {} : { replaced_by: successor }),
  };
}

export function writeModel(model: ListedModel) {
  const { id, aliasOf, name, updatedAt, inputTokens, outputTokens, demo, free, price, priceUnit, retirement } = model;
  return {
    id,
    object: 'model',
    type: 'model',
    endpoints: model.endpoints,
    created: Math.floor(updatedAt / 1000),
    created_at: new Date(updatedAt).toISOString(),
    owned_by: 'gateway',
    display_name: name,
    ...model.described,
    max_input_tokens: inputTokens,
    max_tokens: outputTokens,
    ...(demo ? { demo: true } : {}),
    free,
    price,
    price_unit: priceUnit,
    ...PROMISED,
    ...(retirement ? writeRetirement(retirement) : {}),
    ...(aliasOf === undefined ? {} : { alias_of: aliasOf }),
  };
}
