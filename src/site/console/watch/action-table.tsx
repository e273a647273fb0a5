/** @jsxImportSource hono/jsx */
// Actions of operators as rows.

import type { StoredAction } from '../../../store/rows.ts';
import { dateTime, money } from '../../format.ts';
import type { Language } from '../../language.ts';
import { consoleWords } from '../../words/console/words.ts';
import { channelPath } from '../channels/list.tsx';
import { actorName } from '../parts/actor.ts';
import { DataTable } from '../parts/data-table.tsx';

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
      rows={actions.map(({ at, actor, action, subject, detail }) => [
        <span class="number">{dateTime(at)}</span>,
        actorName(language, actor),
        <span class="id nowrap">{action}</span>,
        <Subject subject={subject} />,
        <Facts facts={detail} />,
      ])}
    />
  );
}

/** What has a page of its own leads there; a request or a key to the account that it is of. */
function Subject({ subject, path = pathOf(subject) }: { subject: string; path?: string | undefined }) {
  if (path === undefined) return <span class="id">{subject}</span>;
  return (
    <a class="id" href={path}>
      {subject}
    </a>
  );
}

function pathOf(id: string): string | undefined {
  if (/^acc_\w+$/.test(id)) return `/accounts/${id}`;
  if (/^batch_\w+$/.test(id)) return `/cards/batches/${id}`;
  return /^(req|key)_\w+$/.test(id) ? `/accounts?q=${id}` : undefined;
}

/** Facts of an action or an alarm: `amount_ntd: 100`, one after the other. */
export function Facts({ facts }: { facts: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(facts).filter(([, value]) => value !== null && value !== undefined);
  if (entries.length === 0) return <>–</>;
  return (
    <span class="details">
      {entries.map(([name, value]) => (
        <Fact name={name} value={value} />
      ))}
    </span>
  );
}

/** What is counted in billionths of NT$ is told in NT$. */
function Fact({ name, value }: { name: string; value: unknown }) {
  const [, amountName] = /^(\w+)_nano$/.exec(name) ?? [];
  const isAmount = amountName !== undefined && /^-?\d+$/.test(String(value));
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const path = name === 'channel' ? channelPath(text) : pathOf(text);
  return (
    <span>
      <span class="faint">{isAmount ? amountName : name}</span>{' '}
      {isAmount ? money(BigInt(text)) : path === undefined ? text : <Subject subject={text} path={path} />}
    </span>
  );
}
