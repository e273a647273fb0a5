/** @jsxImportSource hono/jsx */
// Actions of operators as rows.

import { dateTime } from '../../../site/format.ts';
import type { Language } from '../../../site/language.ts';
import type { Action, StoredAction } from '../../../store/rows.ts';
import { channelPath } from '../channels/list.tsx';
import { actorName } from '../parts/actor.ts';
import { DataTable } from '../parts/data-table.tsx';
import { consoleWords } from '../words/words.ts';
import { Facts, IdLink, pathOfId, wordFor } from './facts.tsx';

export function Actions({ language, actions }: { language: Language; actions: readonly StoredAction[] }) {
  const { actions: words } = consoleWords(language);
  return (
    <DataTable
      label={words.title}
      columns={[
        { text: words.at },
        { text: words.actor },
        { text: words.action },
        { text: words.subject },
        { text: words.detail },
      ]}
      rows={actions.map((action) => [
        <span class="number">{dateTime(action.at)}</span>,
        <span class="nowrap">{actorName(language, action.actor)}</span>,
        <ActionName language={language} action={action.action} />,
        <Subject action={action} />,
        <Facts language={language} facts={action.detail} />,
      ])}
    />
  );
}

/** In words, and by the code that the filter and the API know. */
export function ActionName({ language, action }: { language: Language; action: string }) {
  const { log } = consoleWords(language);
  const name = wordFor(log.deeds, action);
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
  return <IdLink path={path} text={action.subject} />;
}

/** What has a page of its own leads there. */
function pathOfSubject({ action, subject }: Action): string | undefined {
  if (action === 'channels.test' || action === 'ledger.reconcile') return channelPath(subject);
  if (action === 'cards.void') return `/cards?serial=${encodeURIComponent(subject)}`;
  if (subject === 'catalog') return '/models/revisions';
  return subject === 'ledger' ? '/ledger' : pathOfId(subject);
}
