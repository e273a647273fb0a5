// Public lists of prices that others keep, named as sources where a vendor's own page could not be read.

export const LITELLM = 'https://github.com/BerriAI/litellm/blob/main/model_prices_and_context_window.json';

/** `path`: of a file, such as `providers/mistral/models/mistral-large-4`. */
export function modelsDev(path: string): string {
  return `https://github.com/anomalyco/models.dev/blob/dev/${path}.toml`;
}
