/** @jsxImportSource hono/jsx */
// Settings of a key: stored values, or a visitor's input with everything that is wrong with it.

import {
  LIMIT_FIELDS,
  LIMIT_NAMES,
  type LimitName,
  limitOf,
  limitParam,
  limitsIn,
  memberOf,
} from '../../accounts/keys/limit-fields.ts';
import {
  type CurrentFields,
  type KeyBody,
  readKeyFields,
  restrictedManager,
} from '../../accounts/keys/read-key-fields.ts';
import { Fault } from '../../faults/fault.ts';
import { isObject } from '../../kit/json/json.ts';
import { formatNtd } from '../../kit/money.ts';
import { taipeiDay, taipeiDayStart } from '../../kit/taipei.ts';
import type { KeyRow } from '../../store/rows.ts';
import { faultText } from '../fault-text.ts';
import { date, dateTime } from '../format.ts';
import { type Language, wordsOf } from '../language.ts';
import type { PageContext } from '../page.tsx';
import { CheckField, CheckList, SelectField, TextField } from '../parts/field.tsx';
import type { SiteTools } from '../tools.ts';

interface KeyFieldsProps {
  context: PageContext;
  /** Undefined: a key that is yet to be made. */
  key_?: KeyRow;
  models: readonly string[];
  /** Keys that a new one can be a child of. */
  parents?: readonly KeyRow[];
  typed?: URLSearchParams | undefined;
  faults?: KeyFaults | undefined;
}

export function KeyFields({ context, key_: key, models, parents = [], typed, faults = {} }: KeyFieldsProps) {
  const { keys } = context.words.account;
  const { expiresAt = null } = key ?? {};
  const isWholeDay = expiresAt === null || expiresAt === taipeiDayStart(taipeiDay(expiresAt));
  const firstWrong = KEY_FIELDS.find((name) => faults[name] !== undefined);
  const field = (of: KeyField, name: string) => ({
    id: `${name}-${key?.keyId ?? 'new'}`,
    name,
    fault: faults[of],
    hasFocus: of === firstWrong,
  });
  const text = (of: KeyField, name: string, value: string) => ({
    ...field(of, name),
    value: typed?.get(name) ?? value,
  });
  const limitFields = (of: LimitName) => text(of, memberOf(of), limitValue(key, of));
  const isSet = (name: 'manage' | 'delegate') => (typed ? typed.get(name) === '1' : (key?.[name] ?? false));
  const hasFault = (...names: KeyField[]) => names.some((name) => faults[name] !== undefined);
  const checkbox = (name: 'manage' | 'delegate', label: string) => (
    <CheckField {...field(name, name)} label={label} checked={isSet(name)} />
  );
  const limit = (of: LimitName) => (
    <TextField
      {...limitFields(of)}
      label={keys.limits[of]}
      help={keys.limitHelp[of]}
      inputmode={limitsIn('budgets').includes(of) ? 'decimal' : 'numeric'}
    />
  );
  const chosen = typed ? typed.getAll('models') : (key?.models ?? []);
  const others = LIMIT_NAMES.filter((name) => name !== 'dayBudget');
  const expires = text('expires', 'expires', expiresAt === null ? '' : date(expiresAt));
  const limits = (
    <>
      {limit('dayBudget')}
      <details open={chosen.length > 0 || faults.models !== undefined}>
        <summary>{keys.someModels}</summary>
        <CheckList
          {...field('models', 'models')}
          label={keys.models}
          help={keys.modelsHelp}
          choices={[...new Set([...models, ...chosen])]}
          chosen={chosen}
        />
      </details>
      <details open={[...others.map(limitFields), expires].some(isUsed)}>
        <summary>{keys.moreLimits}</summary>
        {others.map(limit)}
        <TextField
          {...expires}
          label={keys.expires}
          help={isWholeDay ? keys.expiresHelp : keys.expiresKept(dateTime(expiresAt))}
          type="date"
        />
      </details>
    </>
  );
  const parent = text('parent', 'parent', '');
  return (
    <>
      <TextField
        {...text('name', 'name', key?.name ?? '')}
        label={keys.name}
        maxlength={100}
        required={key === undefined}
      />
      {key?.manage ? (
        <details open={typed !== undefined}>
          <summary>{keys.managerLimits}</summary>
          <p class="faint">{keys.managerHasNone}</p>
          {limits}
        </details>
      ) : (
        limits
      )}
      <details open={isUsed(parent) || isSet('delegate') || isSet('manage') || hasFault('delegate', 'manage')}>
        <summary>{parents.length === 0 ? keys.rights : keys.parentAndRights}</summary>
        {parents.length === 0 ? null : (
          <SelectField
            {...parent}
            label={keys.parent}
            help={keys.parentHelp}
            choices={[['', keys.noParent], ...parents.map((one) => [one.keyId, one.name ?? `…${one.last4}`] as const)]}
          />
        )}
        {checkbox('delegate', keys.delegateHelp)}
        {checkbox('manage', keys.manageHelp)}
      </details>
    </>
  );
}

/** Fields with a value or an error are not folded. */
function isUsed({ value, fault }: { value: string; fault: string | undefined }): boolean {
  return value !== '' || fault !== undefined;
}

function limitValue(key: KeyRow | undefined, limit: LimitName): string {
  const value = key ? limitOf(key, limit) : null;
  if (value === null) return '';
  return typeof value === 'bigint' ? formatNtd(value) : String(value);
}

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
type KeyField = PlainField | LimitName;
export type KeyFaults = Readonly<Partial<Record<KeyField, string>>>;

/** In the order of the form. */
const KEY_FIELDS: readonly KeyField[] = ['name', 'parent', 'models', ...LIMIT_NAMES, 'expires', 'manage', 'delegate'];

/** No id of a model is longer. */
const SHOWN_CHARS = 100;

/**
 * Field by field: the API names only the first. `refused`: what it said to the body as a whole. `known`: the key as it stands, if it is not to be made.
 */
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
