// Reads features of models from a vendor's list in the form of OpenRouter or of Anthropic. Ignores other lists.

import { MODEL_FEATURES, type ModelFeature } from '../../catalog/document.ts';
import { listOf } from '../../catalog/loose-fields.ts';
import { isObject, type JsonObject } from '../../kit/json/json.ts';

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

export function featuresOf({ architecture, supported_parameters, capabilities }: JsonObject): ModelFeature[] {
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
