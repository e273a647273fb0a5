/** @jsxImportSource hono/jsx */
// All channels at a glance.

import { count, milliseconds, percent } from '../../../site/format.ts';
import type { ChannelView } from '../../actions/channels.ts';
import { type ConsoleContext, ConsolePage, type Notice } from '../frame/frame.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { consoleWords } from '../words/words.ts';
import { SuccessBars } from './hour-charts.tsx';
import { channelState } from './state-of.ts';

interface ChannelsProps {
  context: ConsoleContext;
  channels: readonly ChannelView[];
  notice?: Notice | undefined;
}

export function ChannelsPage({ context, channels, notice }: ChannelsProps) {
  const { channels: words } = consoleWords(context.language);
  return (
    <ConsolePage context={context} section="channels" title={words.title} lead={words.lead} notice={notice}>
      {channels.length === 0 ? (
        <p class="empty">{words.none}</p>
      ) : (
        <ChannelTable context={context} channels={channels} />
      )}
      <p>
        <a class="button quiet" href="/models/document">
          {words.add}
        </a>
      </p>
      <p class="faint">{words.thisNode}</p>
    </ConsolePage>
  );
}

export function ChannelTable({ context, channels }: Omit<ChannelsProps, 'notice'>) {
  const { language } = context;
  const words = consoleWords(language);
  const { channels: said } = words;
  return (
    <DataTable
      label={said.title}
      columns={[
        { text: said.name },
        { text: said.state },
        { text: said.successChart },
        { text: said.success, isFigure: true },
        { text: said.firstToken, isFigure: true },
        { text: said.requests, isFigure: true },
        { text: said.models, isFigure: true },
      ]}
      rows={channels.map((channel) => {
        const { state, text } = channelState(channel, words);
        const { requests, successRate, firstTokenMs } = channel.last24Hours;
        return [
          <>
            <a class="id" href={channelPath(channel.name)}>
              {channel.name}
            </a>
            <span class="under">{channel.baseUrlHost || channel.kind}</span>
          </>,
          <span class={`state ${state}`}>{text}</span>,
          <SuccessBars language={language} channel={channel} isSmall />,
          percent(successRate),
          <>
            {milliseconds(firstTokenMs.p50)}
            {firstTokenMs.p95 === null ? null : <span class="under">p95 {milliseconds(firstTokenMs.p95)}</span>}
          </>,
          count(requests),
          count(channel.models.length),
        ];
      })}
    />
  );
}

export function channelPath(name: string): string {
  return `/channels/${encodeURIComponent(name)}`;
}
