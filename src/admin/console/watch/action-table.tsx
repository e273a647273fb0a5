/** @jsxImportSource hono/jsx */
// Actions of operators as rows.

import { dateTime } from '../../../site/format.ts';
import { type Language, wordFor } from '../../../site/language.ts';
import { IdLink } from '../../../site/parts/button.tsx';
import { DataTable } from '../../../site/parts/table.tsx';
import type { Action, StoredAction } from '../../../store/rows.ts';
import { ACTORS } from '../../../store/rows.ts';
import { channelPath } from '../channels/list.tsx';
import type { ConsoleContext } from '../frame.tsx';
import { consoleWords } from '../words/words.ts';
import { Facts, pathOfId } from './facts.tsx';

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
export const KNOWN_ACTORS = Object.values(ACTORS);

/** A later version may know others: they are shown as they are. */
export function actorName(language: Language, actor: string): string {
  const { actions } = consoleWords(language);
  const known = KNOWN_ACTORS.find((one) => one === actor);
  return known === undefined ? actor : actions[known];
}
