/** @jsxImportSource hono/jsx */
// The last errors of a channel by what they mean, with what to do; each kind also by the code that logs and docs have.

import { count, dateTime } from '../../../site/format.ts';
import { outcomeName } from '../../../site/parts/attempts.tsx';
import { figure, TableSection, Under } from '../../../site/parts/table.tsx';
import type { ChannelView } from '../../actions/channels.ts';
import { troubleOfOutcome } from '../../actions/upstream-troubles.ts';
import type { ConsoleContext } from '../frame.tsx';

export function RecentErrors({ context, channel }: { context: ConsoleContext; channel: ChannelView }) {
  const { channels, troubles } = context.words;
  const groups = [...Map.groupBy(channel.lastErrors, ({ outcome }) => troubleOfOutcome(outcome))];
  return (
    <TableSection
      title={channels.errors}
      none={channels.errorsNone}
      caption={channels.errorsLead(count(channel.lastErrors.length))}
      columns={[channels.meaning, figure(channels.times), channels.outcome, channels.models, channels.lastSeen]}
      rows={groups.map(([trouble, errors]) => [
        <Under of={troubles[trouble].name} text={troubles[trouble].todo} />,
        count(errors.length),
        distinct(errors.map(({ outcome }) => outcome)).map((outcome) => (
          <p class="line">
            <Outcome context={context} outcome={outcome} />
          </p>
        )),
        <span class="id">{distinct(errors.map(({ model }) => model)).join(', ')}</span>,
        <span class="number">{dateTime(errors[0]?.at ?? 0)}</span>,
      ])}
    />
  );
}

function Outcome({ context, outcome }: { context: ConsoleContext; outcome: string }) {
  const name = outcomeName(context.language, outcome);
  if (name === outcome) return <span class="id">{outcome}</span>;
  return <Under of={name} text={outcome} class="id" />;
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
