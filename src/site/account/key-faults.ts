// Everything that is wrong with what was typed for a key, field by field: the API names only the first.

import {
  type CurrentFields,
  type KeyBody,
  readKeyFields,
  restrictedManager,
} from '../../accounts/keys/read-key-fields.ts';
import { Fault } from '../../faults/fault.ts';
import { faultText } from '../fault-text.ts';
import { type Language, wordsOf } from '../language.ts';
import type { SiteTools } from '../tools.ts';

/** What each field of the form is called in the API. */
const API_NAMES = {
  name: 'name',
  models: 'models',
  budget: 'daily_budget_ntd',
  expires: 'expires_at',
  manage: 'manage',
} as const;

/** What a key that manages cannot have. */
const LIMITS = [API_NAMES.models, API_NAMES.budget, API_NAMES.expires];

/** No id of a model is longer. */
const SHOWN_CHARS = 100;

export type KeyField = keyof typeof API_NAMES;
export type KeyFaults = Readonly<Partial<Record<KeyField, string>>>;

export const KEY_FIELDS = Object.keys(API_NAMES) as KeyField[];

/** `refused`: what the API said to the body as a whole. `known`: the key as it stands, if it is not to be made. */
export function keyFaults(
  { catalog, clock }: Pick<SiteTools, 'catalog' | 'clock'>,
  body: KeyBody,
  known: CurrentFields | undefined,
  refused: Fault,
  language: Language,
): KeyFaults {
  const faults: Partial<Record<KeyField, string>> = {};
  for (const field of KEY_FIELDS) {
    const name = API_NAMES[field];
    const value = body[name];
    const read = () => readKeyFields({ [name]: value }, catalog(), clock.now(), known);
    const fault = value === undefined ? undefined : refusalOf(read);
    const own = fault ?? (refused.details.param === name ? refused : undefined);
    if (own) faults[field] = unknownModel(body, own, language) ?? faultText(language, own);
  }
  // A body leaves out only a limit that stays as it is.
  const isLimited = LIMITS.some((name) => body[name] !== null);
  if (body.manage === true && isLimited) faults.manage = faultText(language, restrictedManager());
  return faults;
}

/** Of several models the one that is refused, by its name. */
function unknownModel({ models }: KeyBody, { details }: Fault, language: Language): string | undefined {
  const [, index] = /^models\[(\d+)\]$/.exec(details.param ?? '') ?? [];
  const refused = Array.isArray(models) && index !== undefined ? models[Number(index)] : undefined;
  if (typeof refused !== 'string') return undefined;
  return wordsOf(language).account.keys.noModel(refused.slice(0, SHOWN_CHARS));
}

function refusalOf(read: () => { refusal: Fault | undefined }): Fault | undefined {
  try {
    return read().refusal;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}
