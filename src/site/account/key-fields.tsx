/** @jsxImportSource hono/jsx */
// What can be set on a key: as it stands, or as a visitor typed it.

import { formatNtd } from '../../kit/money.ts';
import { taipeiDay, taipeiDayStart } from '../../kit/taipei.ts';
import type { KeyRow } from '../../store/rows.ts';
import { date, dateTime } from '../format.ts';
import { type Language, wordsOf } from '../language.ts';
import { FieldFault, faultMarks } from '../parts/field-fault.tsx';
import { KEY_FIELDS, type KeyFaults, type KeyField } from './key-faults.ts';

interface Field {
  name: KeyField;
  label: string;
  value: string;
  help?: string;
  type?: string;
  maxlength?: number;
  inputmode?: 'decimal';
}

interface KeyFieldsProps {
  language: Language;
  /** Undefined: a key that is yet to be made. */
  key_?: KeyRow;
  typed?: URLSearchParams | undefined;
  /** What is wrong with it. */
  faults?: KeyFaults | undefined;
}

export function KeyFields({ language, key_: key, typed, faults = {} }: KeyFieldsProps) {
  const { keys } = wordsOf(language).account;
  const id = (name: string) => `${name}-${key?.keyId ?? 'new'}`;
  const { dailyBudget = null, expiresAt = null } = key ?? {};
  const isWholeDay = expiresAt === null || expiresAt === taipeiDayStart(taipeiDay(expiresAt));
  const firstWrong = KEY_FIELDS.find((name) => faults[name] !== undefined);
  const faultId = (name: KeyField) => id(`${name}-fault`);
  const marks = (name: KeyField) => faultMarks(faultId(name), faults[name], name === firstWrong);
  const faultOf = (name: KeyField) => <FieldFault id={faultId(name)} text={faults[name]} />;
  const fields: Field[] = [
    { name: 'name', label: keys.name, value: key?.name ?? '', maxlength: 100 },
    { name: 'models', label: keys.models, value: key?.models?.join(', ') ?? '', help: keys.modelsHelp },
    {
      name: 'budget',
      label: keys.budget,
      value: dailyBudget === null ? '' : formatNtd(dailyBudget),
      help: keys.budgetHelp,
      inputmode: 'decimal',
    },
    {
      name: 'expires',
      label: keys.expires,
      value: expiresAt === null ? '' : date(expiresAt),
      help: isWholeDay ? keys.expiresHelp : keys.expiresKept(dateTime(expiresAt)),
      type: 'date',
    },
  ];
  return (
    <>
      {fields.map(({ name, label, value, help, type = 'text', ...rest }) => (
        <div class="field">
          <label for={id(name)}>
            {label} {help ? <span class="faint">{help}</span> : null}
          </label>
          <input
            id={id(name)}
            name={name}
            type={type}
            value={typed?.get(name) ?? value}
            autocomplete="off"
            {...rest}
            {...marks(name)}
          />
          {faultOf(name)}
        </div>
      ))}
      <div class="field">
        <label>
          <input
            type="checkbox"
            name="manage"
            value="1"
            checked={typed ? typed.get('manage') === '1' : (key?.manage ?? false)}
            {...marks('manage')}
          />{' '}
          {keys.manageHelp}
        </label>
        {faultOf('manage')}
      </div>
    </>
  );
}
