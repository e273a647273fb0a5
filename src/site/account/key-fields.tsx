/** @jsxImportSource hono/jsx */
// What can be set on a key: as it stands, or as a visitor typed it.

import { formatNtd } from '../../kit/money.ts';
import { taipeiDay, taipeiDayStart } from '../../kit/taipei.ts';
import type { KeyRow } from '../../store/rows.ts';
import { date, dateTime } from '../format.ts';
import type { PageContext } from '../page.tsx';
import { FieldFault, faultMarks, TextField } from '../parts/field.tsx';
import { KEY_FIELDS, type KeyFaults, type KeyField } from './key-faults.ts';

interface KeyFieldsProps {
  context: PageContext;
  /** Undefined: a key that is yet to be made. */
  key_?: KeyRow;
  typed?: URLSearchParams | undefined;
  /** What is wrong with it. */
  faults?: KeyFaults | undefined;
}

export function KeyFields({ context, key_: key, typed, faults = {} }: KeyFieldsProps) {
  const { keys } = context.words.account;
  const { dailyBudget = null, expiresAt = null } = key ?? {};
  const isWholeDay = expiresAt === null || expiresAt === taipeiDayStart(taipeiDay(expiresAt));
  const firstWrong = KEY_FIELDS.find((name) => faults[name] !== undefined);
  const idOf = (name: KeyField) => `${name}-${key?.keyId ?? 'new'}`;
  const field = (name: KeyField, value: string) => ({
    id: idOf(name),
    name,
    value: typed?.get(name) ?? value,
    fault: faults[name],
    hasFocus: name === firstWrong,
  });
  const manageFault = `${idOf('manage')}-fault`;
  return (
    <>
      <TextField {...field('name', key?.name ?? '')} label={keys.name} maxlength={100} />
      <TextField {...field('models', key?.models?.join(', ') ?? '')} label={keys.models} help={keys.modelsHelp} />
      <TextField
        {...field('budget', dailyBudget === null ? '' : formatNtd(dailyBudget))}
        label={keys.budget}
        help={keys.budgetHelp}
        inputmode="decimal"
      />
      <TextField
        {...field('expires', expiresAt === null ? '' : date(expiresAt))}
        label={keys.expires}
        help={isWholeDay ? keys.expiresHelp : keys.expiresKept(dateTime(expiresAt))}
        type="date"
      />
      <div class="field">
        <label>
          <input
            type="checkbox"
            name="manage"
            value="1"
            checked={typed ? typed.get('manage') === '1' : (key?.manage ?? false)}
            {...faultMarks(manageFault, faults.manage, firstWrong === 'manage')}
          />{' '}
          {keys.manageHelp}
        </label>
        <FieldFault id={manageFault} text={faults.manage} />
      </div>
    </>
  );
}
