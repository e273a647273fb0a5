// Everything that is wrong with what was typed for a key, field by field: the API names only the first.

import { LIMIT_FIELDS, LIMIT_NAMES, type LimitName, limitParam, memberOf } from '../../accounts/keys/limit-fields.ts';
import {
  type CurrentFields,
  type KeyBody,
  readKeyFields,
  restrictedManager,
} from '../../accounts/keys/read-key-fields.ts';
import { Fault } from '../../faults/fault.ts';
import { isObject } from '../../kit/json/json.ts';
import { faultText } from '../fault-text.ts';
import { type Language, wordsOf } from '../language.ts';
import type { SiteTools } from '../tools.ts';

/** The API's names of the form's other fields. */
const API_NAMES = {
  name: 'name',
  models: 'models',
  expires: 'expires_at',
  manage: 'manage',
  delegate: 'delegate',
  parent: 'parent_id',
} as const;

type PlainField = keyof typeof API_NAMES;
export type KeyField = PlainField | LimitName;
export type KeyFaults = Readonly<Partial<Record<KeyField, string>>>;

/** In the order of the form. */
export const KEY_FIELDS: readonly KeyField[] = [
  'name',
  'parent',
  'models',
  ...LIMIT_NAMES,
  'expires',
  'manage',
  'delegate',
];

/** No id of a model is longer. */
const SHOWN_CHARS = 100;

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
    const part = partOf(body, field);
    const wrong =
      part && refusalOf(() => readKeyFields(part, catalog(), clock.now(), { standing: known, isNew: true }));
    const text = wrong ? wrongText(field, body, wrong, language) : refusedText(field, refused, language);
    if (text !== undefined) faults[field] = text;
  }
  if (body.manage === true && isLimited(body)) faults.manage = faultText(language, restrictedManager());
  return faults;
}

/** The body with this field alone; undefined if it has none. */
function partOf(body: KeyBody, field: KeyField): KeyBody | undefined {
  if (!isLimit(field)) {
    const name = API_NAMES[field];
    return body[name] === undefined ? undefined : { [name]: body[name] };
  }
  const value = membersOf(body, LIMIT_FIELDS[field].group)[memberOf(field)];
  return value === undefined ? undefined : { [LIMIT_FIELDS[field].group]: { [memberOf(field)]: value } };
}

function isLimit(field: KeyField): field is LimitName {
  return Object.hasOwn(LIMIT_FIELDS, field);
}

function membersOf(body: KeyBody, group: 'budgets' | 'rates'): KeyBody {
  const members = body[group];
  return isObject(members) ? members : {};
}

/** A body leaves out only a limit that stays as it is. */
function isLimited(body: KeyBody): boolean {
  const limits = [...Object.values(membersOf(body, 'budgets')), ...Object.values(membersOf(body, 'rates'))];
  return [body.models, body.expires_at, ...limits].some((value) => value !== null) || (body.parent_id ?? null) !== null;
}

function wrongText(field: KeyField, body: KeyBody, wrong: Fault, language: Language): string {
  const { keys } = wordsOf(language).account;
  if (!isLimit(field)) return unknownModel(body, wrong, language) ?? faultText(language, wrong);
  const bad = LIMIT_FIELDS[field].group === 'budgets' ? keys.badAmount : keys.badCount;
  return bad(keys.limits[field]);
}

/** The field is well formed, but not allowed for this key. */
function refusedText(field: KeyField, refused: Fault, language: Language): string | undefined {
  const { keys } = wordsOf(language).account;
  const { param } = refused.details;
  // A child without any budget: the message stands at the first budget field.
  if (field === 'dayBudget' && param === 'budgets') return keys.childNeedsBudget;
  if (param !== (isLimit(field) ? limitParam(field) : API_NAMES[field])) return undefined;
  return isLimit(field) ? keys.aboveParent(keys.limits[field]) : faultText(language, refused);
}

/** The name of the refused model. */
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
