/** @jsxImportSource hono/jsx */
// The log of actions, with a filter.

import { Submit } from '../../../site/parts/button.tsx';
import { SelectField, TextField } from '../../../site/parts/field.tsx';
import { wholeNumber } from '../../../site/read-form.ts';
import type { StoredAction } from '../../../store/rows.ts';
import { type ActionFilter, listActions } from '../../actions/audit-log.ts';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import type { ConsoleTools } from '../tools.ts';
import type { ConsoleVisits } from '../visits.tsx';
import { Actions, KNOWN_ACTORS } from './action-table.tsx';

const SHOWN = 60;

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
  const { actions: words } = context.words;
  const last = actions.length === SHOWN ? actions.at(-1) : undefined;
  return (
    <ConsolePage context={context} section="actions" title={words.title} lead={words.lead}>
      <form method="get" action="/actions" class="filters">
        <SelectField
          name="actor"
          label={words.actor}
          value={filter.actor}
          choices={[['', words.anyone], ...KNOWN_ACTORS.map((name) => [name, words[name]] as const)]}
        />
        <TextField name="action" label={words.action} help={words.actionHelp} value={filter.action} maxlength={60} />
        <TextField name="subject" label={words.subject} value={filter.subject} maxlength={100} />
        <Submit look="quiet" text={words.filter} />
      </form>
      <Actions context={context} actions={actions} none={words.none} />
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
