/** @jsxImportSource hono/jsx */
// Settings of a key: stored values, or a visitor's input.

import { LIMIT_NAMES, type LimitName, limitOf, limitsIn, memberOf } from '../../accounts/keys/limit-fields.ts';
import { formatNtd } from '../../kit/money.ts';
import { taipeiDay, taipeiDayStart } from '../../kit/taipei.ts';
import type { KeyRow } from '../../store/rows.ts';
import { date, dateTime } from '../format.ts';
import type { PageContext } from '../page.tsx';
import { CheckField, CheckList, SelectField, TextField } from '../parts/field.tsx';
import { KEY_FIELDS, type KeyFaults, type KeyField } from './key-faults.ts';

interface KeyFieldsProps {
  context: PageContext;
  /** Undefined: a key that is yet to be made. */
  key_?: KeyRow;
  /** Ids of the models that can be chosen. */
  models: readonly string[];
  /** Keys that a new one can be a child of. */
  parents?: readonly KeyRow[];
  typed?: URLSearchParams | undefined;
  /** The error. */
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
