/** @jsxImportSource hono/jsx */
// Switching a channel off and on, and removing it: each asks first, and names the models that no other channel serves.

import { type ChannelView, listChannels, showChannel } from '../../actions/channels.ts';
import { removeChannel, setChannelEnabled } from '../../actions/enable-channel.ts';
import { OperatingRefused } from '../../actions/refused.ts';
import { ConfirmPage } from '../frame.tsx';
import { ACTOR, type ConsoleTools } from '../tools.ts';
import type { ConsoleVisit, ConsoleVisits, ShowRefused } from '../visits.tsx';
import type { ConsoleWords } from '../words/words.ts';
import { channelPath } from './list.tsx';

const VERBS = ['enable', 'disable', 'remove'] as const;
type Verb = (typeof VERBS)[number];

export function addSwitchPages(visits: ConsoleVisits, tools: ConsoleTools, again: ShowRefused): void {
  for (const verb of VERBS) {
    visits.get(`/channels/:name/${verb}`, (visit) => ask(tools, visit, verb));
    visits.post(`/channels/:name/${verb}`, (visit) => act(tools, visit, verb), again);
  }
}

async function ask(tools: ConsoleTools, visit: ConsoleVisit, verb: Verb): Promise<Response> {
  const { channels, connect } = visit.page.words;
  const channel = await showChannel(tools, visit.params.name ?? '');
  const { name } = channel;
  const { kept, lost } = servedWithout(channel, await listChannels(tools));
  const titles = { enable: channels.enableTitle, disable: channels.disableTitle, remove: connect.removeTitle };
  const buttons = { enable: channels.enable, disable: channels.disable, remove: connect.remove };
  const consequences = {
    enable: [channels.enableText],
    disable: [channels.disableText, ...modelsText(channels, kept, lost), channels.disableRevision],
    remove: [
      connect.removeText,
      ...modelsText({ ...channels, ...connect.removal }, kept, lost),
      connect.removeRevision,
    ],
  };
  return visit.show(
    <ConfirmPage
      context={visit.page}
      section="channels"
      title={titles[verb](name)}
      consequences={consequences[verb]}
      action={`${channelPath(name)}/${verb}`}
      fields={{ lost: lost.join(', ') }}
      button={buttons[verb]}
      back={channelPath(name)}
    />,
  );
}

/** Splits its models into those that other channels serve, too, and the rest. */
function servedWithout({ name, models }: ChannelView, all: readonly ChannelView[]) {
  const others = all.filter((one) => one.enabled && one.name !== name);
  const isServed = (model: string) => others.some((other) => other.models.includes(model));
  return { kept: models.filter(isServed), lost: models.filter((model) => !isServed(model)) };
}

type ModelWords = Pick<ConsoleWords['channels'], 'disableLoses' | 'disableKeeps' | 'disableUnused'>;

function modelsText(words: ModelWords, kept: readonly string[], lost: readonly string[]): string[] {
  return [
    ...(lost.length > 0 ? [words.disableLoses(lost.join(', '))] : []),
    ...(kept.length > 0 ? [words.disableKeeps(kept.join(', '))] : []),
    ...(kept.length + lost.length === 0 ? [words.disableUnused] : []),
  ];
}

/** Forced only for the models that the page named; if another one would lose its last route, it asks again. */
async function act(tools: ConsoleTools, visit: ConsoleVisit, verb: Verb): Promise<Response> {
  const name = visit.params.name ?? '';
  const run = (force: boolean) =>
    verb === 'remove'
      ? removeChannel(tools, name, { force, actor: ACTOR })
      : setChannelEnabled(tools, name, { enabled: verb === 'enable', force, actor: ACTOR });
  try {
    await run(false);
  } catch (error) {
    if (!(error instanceof OperatingRefused) || error.code !== 'last_routes') throw error;
    const named = (visit.form.get('lost') ?? '').split(', ');
    const isKnown = (error.facts.subjects ?? []).every((model) => named.includes(model));
    if (!isKnown || visit.form.get('confirmed') !== 'yes') return ask(tools, visit, verb);
    await run(true);
  }
  if (verb === 'remove') return visit.go('/channels');
  const { enabledNow, disabledNow } = visit.page.words.channels;
  const text = verb === 'enable' ? enabledNow(name) : disabledNow(name);
  return visit.goWith(channelPath(name), { notice: { text } });
}
