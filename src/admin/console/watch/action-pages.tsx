/** @jsxImportSource hono/jsx */
// The log of actions, with a filter, and actions of operators as rows.

import { dateTime } from '../../../site/format.ts';
import { type Language, wordFor } from '../../../site/language.ts';
import { IdLink, Submit } from '../../../site/parts/button.tsx';
import { SelectField, TextField } from '../../../site/parts/field.tsx';
import { DataTable } from '../../../site/parts/table.tsx';
import { typed, wholeNumber } from '../../../site/read-form.ts';
import { ACTORS, type Action, type StoredAction } from '../../../store/rows.ts';
import { type ActionFilter, listActions } from '../../actions/audit-log.ts';
import { channelPath } from '../channels/list.tsx';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import type { ConsoleVisit, ConsoleVisits } from '../visits.tsx';
import { consoleWords } from '../words/words.ts';
import { Facts, pathOfId } from './facts.tsx';

const SHOWN = 60;

export function addActionPages(visits: ConsoleVisits): void {
  visits.get('/actions', show);
}

async function show(visit: ConsoleVisit): Promise<Response> {
  const context = visit.page;
  const { actions: words } = context.words;
  const { searchParams } = visit.url;
  const filter: ActionFilter = {};
  for (const name of ['actor', 'action', 'subject'] as const) filter[name] = typed(searchParams, name) || undefined;
  filter.before = wholeNumber(searchParams, 'before');
  const actions = await listActions(visit.tools, SHOWN, filter);
  const last = actions.length === SHOWN ? actions.at(-1) : undefined;
  return visit.show(
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
    </ConsolePage>,
  );
}

function olderPath({ actor, action, subject }: ActionFilter, before: number): string {
  const wanted = Object.entries({ actor, action, subject, before: String(before) });
  const query = new URLSearchParams(wanted.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  return `/actions?${query}`;
}

interface ActionsProps {
  context: ConsoleContext;
  actions: readonly StoredAction[];
  none: string;
  /** The common subject of all rows: then no column names it. */
  subject?: string;
}

export function Actions({ context, actions, none, subject }: ActionsProps) {
  const { language } = context;
  const { actions: words } = context.words;
  return (
    <DataTable
      label={words.title}
      none={none}
      isCompact={subject !== undefined}
      columns={[words.at, words.actor, words.action, ...(subject === undefined ? [words.subject] : []), words.detail]}
      rows={actions.map((action) => [
        <span class="number">{dateTime(action.at)}</span>,
        <span class="nowrap">{actorName(language, action.actor)}</span>,
        <ActionName language={language} action={action.action} />,
        ...(subject === undefined ? [<Subject action={action} />] : []),
        <Facts language={language} facts={action.detail} />,
      ])}
    />
  );
}

/** In words, and by the code that the filter and the API know. */
export function ActionName({ language, action }: { language: Language; action: string }) {
  const { log } = consoleWords(language);
  const name = wordFor(log.actionNames, action);
  return (
    <>
      {name}
      <span class={name === undefined ? 'id nowrap' : 'under id'}>{action}</span>
    </>
  );
}

function Subject({ action }: { action: Action }) {
  const path = pathOfSubject(action);
  if (path === undefined) return <span class="id">{action.subject}</span>;
  return <IdLink href={path} text={action.subject} />;
}

/** A subject with its own page is a link. */
function pathOfSubject({ action, subject }: Action): string | undefined {
  if (action === 'channels.test' || action === 'ledger.reconcile') return channelPath(subject);
  if (action === 'cards.void') return `/cards?serial=${encodeURIComponent(subject)}`;
  if (subject === 'catalog') return '/models/revisions';
  return subject === 'ledger' ? '/ledger' : pathOfId(subject);
}

/** As a filter offers them. */
const KNOWN_ACTORS = Object.values(ACTORS);

/** A later version may know others: they are shown as they are. */
export function actorName(language: Language, actor: string): string {
  const { actions } = consoleWords(language);
  const known = KNOWN_ACTORS.find((one) => one === actor);
  return known === undefined ? actor : actions[known];
}
