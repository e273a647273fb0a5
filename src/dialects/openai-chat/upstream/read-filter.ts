// What a content filter found in an answer that it stopped, as Azure tells it beside the choice.

import { isObject, type JsonObject } from '../../../kit/json/json.ts';
import { blockedBecause } from '../../translate/vendor-refusal.ts';

/** Undefined if it does not say. */
export function filterWords({ content_filter_results: results }: JsonObject): string | undefined {
  if (!isObject(results)) return undefined;
  const found = Object.entries(results).flatMap(([name, result]) => {
    if (!isObject(result) || result.filtered !== true) return [];
    return typeof result.severity === 'string' ? [`${name} (${result.severity})`] : [name];
  });
  return found.length === 0 ? undefined : blockedBecause('answer', found.join(', '));
}
