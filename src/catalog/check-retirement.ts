// Checks of retirements beyond the shape: a successor exists, is not the model itself, and can serve its calls if it is to
// replace it.

import { FREE_MODEL } from './document.ts';

interface LooseRetiring {
  id: unknown;
  kinds: readonly unknown[];
  price: unknown;
  retires_at: unknown;
  replaced_by: unknown;
  on_retired: unknown;
}

interface RetirementFault {
  path: string;
  message: string;
}

export function checkRetirement(
  models: readonly LooseRetiring[],
  model: LooseRetiring,
  path: string,
): RetirementFault[] {
  const faults: RetirementFault[] = [];
  const say = (field: string, message: string) => faults.push({ path: `${path}.${field}`, message });
  const { id, retires_at: date, replaced_by: successor, on_retired: onRetired } = model;
  const isReplaced = onRetired === 'replace';
  if (id === FREE_MODEL && date !== undefined) {
    say('retires_at', `${FREE_MODEL} cannot retire: registration and errors point to it`);
  }
  if (successor === undefined) {
    if (isReplaced) say('on_retired', 'needs replaced_by, the model that serves its calls then');
    return faults;
  }
  if (date === undefined) say('replaced_by', 'needs retires_at, the date from which it applies');
  if (typeof successor !== 'string') return faults;
  const next = models.find((other) => other.id === successor);
  if (!next) say('replaced_by', `there is no model "${successor}"`);
  else if (next === model) say('replaced_by', 'a model does not replace itself');
  else if (isInCircle(models, model)) say('replaced_by', 'these models replace each other in a circle');
  else if (isReplaced) {
    if ((next.price === 'free') !== (model.price === 'free')) {
      say('on_retired', 'a free model is replaced by a free one only, a paid one by a paid one only');
    }
    const missing = model.kinds.filter((kind) => !next.kinds.includes(kind));
    if (missing.length > 0) say('on_retired', `"${successor}" does not serve ${missing.join(', ')}`);
  }
  return faults;
}

/** Whether its successors lead back to it. */
function isInCircle(models: readonly LooseRetiring[], model: LooseRetiring): boolean {
  let next: LooseRetiring | undefined = model;
  for (let steps = 0; next && steps < models.length; steps++) {
    const id: unknown = next.replaced_by;
    next = id === undefined ? undefined : models.find((other) => other.id === id);
    if (next === model) return true;
  }
  return false;
}
