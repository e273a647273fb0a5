/** @jsxImportSource hono/jsx */
// One channel: what it is, how it does and why, a real call to try it, and the switch.

import { count, dateTime, milliseconds, percent } from '../../../site/format.ts';
import type { Language } from '../../../site/language.ts';
import { outcomeName } from '../../../site/parts/attempts.tsx';
import { Facts } from '../../../site/parts/facts.tsx';
import { Field } from '../../../site/parts/field.tsx';
import type { ChannelView } from '../../actions/channels.ts';
import { type ConsoleContext, ConsolePage, type Notice } from '../frame/frame.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { consoleWords } from '../words/words.ts';
import { FirstTokenBars, SuccessBars } from './hour-charts.tsx';
import { channelPath } from './list.tsx';
import { channelState } from './state-of.ts';

interface ChannelProps {
  context: ConsoleContext;
  channel: ChannelView;
  notice?: Notice | undefined;
}

export function ChannelPage({ context, channel, notice }: ChannelProps) {
  const words = consoleWords(context.language);
  const { channels } = words;
  const { state, text } = channelState(channel, words);
  const verb = channel.enabled ? 'disable' : 'enable';
  return (
    <ConsolePage context={context} section="channels" title={channel.name} notice={notice}>
      <div class="row spread">
        <span class={`state ${state}`}>{text}</span>
        <a class="button quiet" href={`${channelPath(channel.name)}/${verb}`}>
          {channels[verb]}
        </a>
      </div>
      <ChannelFacts context={context} channel={channel} />
      <Test context={context} channel={channel} />
      <Charts context={context} channel={channel} />
      <Breakers context={context} channel={channel} />
      <Errors context={context} channel={channel} />
      <p class="faint">{channels.thisNode}</p>
    </ConsolePage>
  );
}

function ChannelFacts({ context, channel }: ChannelProps) {
  const { channels, frame } = consoleWords(context.language);
  const keys = {
    none: channels.keyNone,
    stored: channels.keyStored,
    reference: channel.apiKeyReference ?? channels.keyStored,
  };
  const facts: [title: string, value: string][] = [
    [channels.kind, channel.kind],
    [channels.host, channel.baseUrlHost || '–'],
    [channels.endpoints, channel.endpoints.join(', ')],
    [channels.quirks, channel.quirks ?? frame.none],
    [channels.key, keys[channel.apiKey]],
    [channels.successHour, percent(channel.lastHour.successRate)],
    [channels.success, percent(channel.last24Hours.successRate)],
  ];
  // The list of models is as long as it is: it has the whole width.
  return (
    <>
      <Facts facts={facts} />
      <Facts facts={[[channels.models, channel.models.join(', ') || frame.none]]} isWide />
    </>
  );
}

function Test({ context, channel }: ChannelProps) {
  const { channels } = consoleWords(context.language);
  return (
    <section>
      <h2>{channels.test}</h2>
      {channel.models.length === 0 ? (
        <p class="note">{channels.testNone}</p>
      ) : (
        <form method="post" action={`${channelPath(channel.name)}/test`} data-once>
          <p class="faint">{channels.testLead}</p>
          <div class="search">
            <Field name="model" label={channels.testModel}>
              <select id="model" name="model">
                <option value="">{channels.testFirst}</option>
                {channel.models.map((model) => (
                  <option value={model}>{model}</option>
                ))}
              </select>
            </Field>
            <button type="submit">{channels.testButton}</button>
          </div>
        </form>
      )}
    </section>
  );
}

function Charts({ context, channel }: ChannelProps) {
  const { channels } = consoleWords(context.language);
  const { language } = context;
  if (channel.last24Hours.requests === 0) return <p class="empty">{channels.noTraffic}</p>;
  const { p50, p95 } = channel.last24Hours.firstTokenMs;
  return (
    <div class="two">
      <section>
        <h2>{channels.successChart}</h2>
        <SuccessBars language={language} channel={channel} />
        <p class="faint">
          {channels.successLabel(percent(channel.last24Hours.successRate), count(channel.last24Hours.requests))}
        </p>
      </section>
      <section>
        <h2>{channels.firstTokenChart}</h2>
        <FirstTokenBars language={language} channel={channel} />
        <p class="faint">{channels.firstTokenLabel(milliseconds(p50), milliseconds(p95))}</p>
      </section>
    </div>
  );
}

function Breakers({ context, channel }: ChannelProps) {
  const { channels } = consoleWords(context.language);
  const states = { closed: channels.closed, open: channels.opened, probing: channels.probing };
  const reasons: Readonly<Record<string, string>> = {
    consecutive_failures: channels.consecutive_failures,
    failure_rate: channels.failure_rate,
    key_refused: channels.key_refused,
    probe_failed: channels.probe_failed,
  };
  const kinds = { closed: 'operational', open: 'down', probing: 'degraded' };
  return (
    <section>
      <h2>{channels.breakers}</h2>
      {channel.breakers.length === 0 ? (
        <p class="empty">{channels.breakersNone}</p>
      ) : (
        <DataTable
          label={channels.breakers}
          columns={[
            { text: channels.upstreamModel },
            { text: channels.state },
            { text: channels.why },
            { text: channels.since },
            { text: channels.retry },
            { text: channels.failures, isFigure: true },
          ]}
          rows={channel.breakers.map((breaker) => [
            <span class="id">{breaker.model}</span>,
            <span class={`state ${kinds[breaker.state]}`}>{states[breaker.state]}</span>,
            breaker.why === null ? '–' : (reasons[breaker.why] ?? breaker.why),
            breaker.since === null ? '–' : dateTime(breaker.since),
            breaker.retryAt === null ? '–' : dateTime(breaker.retryAt),
            String(breaker.failures),
          ])}
        />
      )}
    </section>
  );
}

function Errors({ context, channel }: ChannelProps) {
  const { channels } = consoleWords(context.language);
  return (
    <section>
      <h2>{channels.errors}</h2>
      {channel.lastErrors.length === 0 ? (
        <p class="empty">{channels.errorsNone}</p>
      ) : (
        <DataTable
          label={channels.errors}
          caption={channels.errorsLead}
          columns={[{ text: channels.at }, { text: channels.model }, { text: channels.outcome }]}
          rows={channel.lastErrors.map(({ at, model, outcome }) => [
            <span class="number">{dateTime(at)}</span>,
            <span class="id">{model}</span>,
            <Outcome language={context.language} outcome={outcome} />,
          ])}
        />
      )}
    </section>
  );
}

/** In words, and by the code that logs and the documentation have. */
function Outcome({ language, outcome }: { language: Language; outcome: string }) {
  const name = outcomeName(language, outcome);
  if (name === outcome) return <span class="id">{outcome}</span>;
  return (
    <>
      {name}
      <span class="under id">{outcome}</span>
    </>
  );
}
