/** @jsxImportSource hono/jsx */
// All channels at a glance.

import { count, milliseconds, percent } from '../../../site/format.ts';
import type { Notice } from '../../../site/frame.tsx';
import { IdLink, LinkButton } from '../../../site/parts/button.tsx';
import { DataTable, figure, Under } from '../../../site/parts/table.tsx';
import type { ChannelView } from '../../actions/channels.ts';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import { consoleWords } from '../words/words.ts';
import { SuccessBars } from './hour-charts.tsx';
import { channelState } from './state-of.ts';

interface ChannelsProps {
  context: ConsoleContext;
  channels: readonly ChannelView[];
  notice?: Notice | undefined;
}

export function ChannelsPage({ context, channels, notice }: ChannelsProps) {
  const { channels: words } = context.words;
  return (
    <ConsolePage context={context} section="channels" title={words.title} lead={words.lead} notice={notice}>
      <ChannelTable context={context} channels={channels} none={words.none} />
      <p>
        <LinkButton look="quiet" href="/models/document" text={words.add} />
      </p>
      <p class="faint">{words.thisNode}</p>
    </ConsolePage>
  );
}

export function ChannelTable({ context, channels, none }: Omit<ChannelsProps, 'notice'> & { none?: string }) {
  const { language } = context;
  const words = consoleWords(language);
  const { channels: said } = words;
  return (
    <DataTable
      label={said.title}
      {...(none === undefined ? {} : { none })}
      columns={[
        said.name,
        said.state,
        said.successChart,
        figure(said.success),
        figure(said.firstToken),
        figure(said.requests),
        figure(said.models),
      ]}
      rows={channels.map((channel) => {
        const { state, text } = channelState(channel, words);
        const { requests, successRate, firstTokenMs } = channel.last24Hours;
        return [
          <Under
            of={<IdLink href={channelPath(channel.name)} text={channel.name} />}
            text={channel.baseUrlHost || channel.kind}
          />,
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
