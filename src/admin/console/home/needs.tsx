/** @jsxImportSource hono/jsx */
// "Needs attention": each item links to the page where it is handled.

import { sentences } from '../../../site/format.ts';
import { NoticeBox } from '../../../site/frame.tsx';
import type { ChannelView } from '../../actions/channels.ts';
import { needsAttention } from '../channels/list.tsx';
import { type ConsoleContext, countedAlarms } from '../frame.tsx';
import { explainAlarm } from '../watch/alarm-groups.tsx';

export interface AttentionItem {
  channels: readonly ChannelView[];
  openIncidents: number;
  /** Null: no audit has finished yet. */
  isUnbalanced: boolean | null;
  /** Models that retire soon. */
  retiring: readonly string[];
  /** How many models are sold below cost. */
  belowCost: number;
  /** Names of open alarms that are critical. */
  critical: readonly string[];
}

export function Needs({ context, needed }: { context: ConsoleContext; needed: AttentionItem }) {
  const { channels, openIncidents, isUnbalanced, retiring, belowCost, critical } = needed;
  const words = context.words;
  const { home } = words;
  const troubled = channels.filter(needsAttention).map(({ name }) => name);
  const needs: { path: string; text: string; isBad?: boolean }[] = [
    ...critical.map((name) => ({
      path: '/alarms',
      text: home.criticalAlarm(explainAlarm(context, name)[0]),
      isBad: true,
    })),
    ...(isUnbalanced ? [{ path: '/ledger', text: home.unbalanced }] : []),
    ...(context.openAlarms?.count
      ? [{ path: '/alarms', text: home.openAlarms(countedAlarms(context.openAlarms)) }]
      : []),
    ...(troubled.length > 0 ? [{ path: '/channels', text: home.channelsBad(troubled.join(', ')) }] : []),
    ...(openIncidents > 0 ? [{ path: '/incidents', text: home.incidentsOpen(openIncidents) }] : []),
    ...(belowCost > 0 ? [{ path: '/models', text: words.models.belowCost(belowCost) }] : []),
    ...(retiring.length > 0 ? [{ path: '/models', text: home.retiring(retiring.join(', ')) }] : []),
    ...(channels.every(({ kind }) => kind === 'demo') ? [{ path: '/connect', text: home.noChannel }] : []),
  ];
  if (needs.length === 0) {
    // If the alarms are unknown, the page must not say that all is well.
    if (context.openAlarms === undefined) return null;
    if (isUnbalanced !== null) return <NoticeBox notice={{ text: home.calm }} />;
    return (
      <div class="notice is-unknown" role="status">
        <p>{sentences(home.calm, words.ledger.auditNever)}</p>
      </div>
    );
  }
  return (
    <section class="notice is-warning" aria-label={home.needs}>
      <ul>
        {needs.map(({ path, text, isBad }) => (
          <li class={isBad ? 'bad' : ''}>
            <a href={path}>{text}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}
