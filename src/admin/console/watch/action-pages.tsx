/** @jsxImportSource hono/jsx */
// The log of actions, with a filter.

import { Field } from '../../../site/parts/field.tsx';
import type { StoredAction } from '../../../store/rows.ts';
import { type ActionFilter, listActions } from '../../actions/audit-log.ts';
import { TextField } from '../frame/field.tsx';
import { type ConsoleContext, ConsolePage } from '../frame/frame.tsx';
import { wholeNumber } from '../frame/read-form.ts';
import type { ConsoleVisits } from '../frame/visit.tsx';
import { actorName, KNOWN_ACTORS } from '../parts/actor.ts';
import type { ConsoleTools } from '../tools.ts';
import { consoleWords } from '../words/words.ts';
import { Actions } from './action-table.tsx';

const SHOWN = 100;

export function addActionPages(visits: ConsoleVisits, tools: ConsoleTools): void {
  visits.get('/actions', async (visit) => {
    const { searchParams } = visit.url;
    const filter: ActionFilter = {};
    for (const name of ['actor', 'action', 'subject'] as const) {
      const text = (searchParams.get(name) ?? '').trim();
      if (text !== '') filter[name] = text;
    }
    filter.before = wholeNumber(searchParams, 'before');
    const actions = await listActions(tools, SHOWN, filter);
    return visit.show(<ActionsPage context={visit.page} actions={actions} filter={filter} />);
  });
}

interface ActionsProps {
  context: ConsoleContext;
  actions: readonly StoredAction[];
  filter: ActionFilter;
}

function ActionsPage({ context, actions, filter }: ActionsProps) {
  const { actions: words } = consoleWords(context.language);
  const last = actions.length === SHOWN ? actions.at(-1) : undefined;
  return (
    <ConsolePage context={context} section="actions" title={words.title} lead={words.lead}>
      <form method="get" action="/actions" class="filters">
        <Field name="actor" label={words.actor}>
          <select id="actor" name="actor">
            <option value="">{words.anyone}</option>
            {KNOWN_ACTORS.map((name) => (
              <option value={name} selected={filter.actor === name}>
                {actorName(context.language, name)}
              </option>
            ))}
          </select>
        </Field>
        <TextField name="action" label={words.action} help={words.actionHelp} value={filter.action} maxLength={60} />
        <TextField name="subject" label={words.subject} value={filter.subject} maxLength={100} />
        <button type="submit" class="quiet">
          {words.filter}
        </button>
      </form>
      {actions.length === 0 ? (
        <p class="empty">{words.none}</p>
      ) : (
        <Actions language={context.language} actions={actions} />
      )}
      {last ? (
        <p>
          <a href={olderPath(filter, last.actionId)}>{words.older}</a>
        </p>
      ) : null}
    </ConsolePage>
  );
}

function olderPath({ actor, action, subject }: ActionFilter, before: number): string {
  const wanted = Object.entries({ actor, action, subject, before: String(before) });
  const query = new URLSearchParams(wanted.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  return `/actions?${query}`;
}
