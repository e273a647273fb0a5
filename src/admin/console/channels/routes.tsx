/** @jsxImportSource hono/jsx */
// The pages of the channels: the list, and each one with its test. Switching one off and on and removing it ask first, and name
// the models that no other channel serves. The form that adds or edits one is in the files beside.

import { milliseconds, sentences } from '../../../site/format.ts';
import { type ChannelView, listChannels, showChannel } from '../../actions/channels.ts';
import { removeChannel, setChannelEnabled } from '../../actions/enable-channel.ts';
import { OperatingRefused } from '../../actions/refused.ts';
import { testChannel } from '../../actions/test-channel.ts';
import { ACTOR } from '../tools.ts';
import type { ConsoleVisit, ConsoleVisits } from '../visits.tsx';
import type { ConsoleWords } from '../words/words.ts';
import { addConnectPages } from './connect-routes.tsx';
import { showOneChannel } from './detail.tsx';
import { channelPath, showChannels } from './list.tsx';

const VERBS = ['enable', 'disable', 'remove'] as const;
type Verb = (typeof VERBS)[number];

export function addChannelPages(visits: ConsoleVisits): void {
  addConnectPages(visits);
  visits.get('/channels', showChannels);
  visits.get('/channels/:name', showOneChannel);
  visits.post('/channels/:name/test', test, showOneChannel);
  for (const verb of VERBS) {
    visits.get(`/channels/:name/${verb}`, (visit) => ask(visit, verb));
    visits.post(`/channels/:name/${verb}`, (visit) => act(visit, verb), showOneChannel);
  }
}

async function test(visit: ConsoleVisit): Promise<Response> {
  const { channels, problems } = visit.page.words;
  const model = visit.form.get('model') || undefined;
  const tested = await testChannel(visit.tools, visit.params.name ?? '', { model, actor: ACTOR });
  const { name, todo } = problems[tested.trouble ?? 'unknown'];
  const text = tested.ok
    ? channels.testOk(tested.model, milliseconds(tested.ms), milliseconds(tested.firstByteMs))
    : sentences(channels.testBad(tested.model, name, tested.detail), todo);
  return showOneChannel(visit, { notice: { text, isBad: !tested.ok } });
}

async function ask(visit: ConsoleVisit, verb: Verb): Promise<Response> {
  const { channels, connect } = visit.page.words;
  const channel = await showChannel(visit.tools, visit.params.name ?? '');
  const { name } = channel;
  const { kept, lost } = servedWithout(channel, await listChannels(visit.tools));
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
  return visit.ask({
    section: 'channels',
    title: titles[verb](name),
    consequences: consequences[verb],
    action: `${channelPath(name)}/${verb}`,
    fields: { lost: lost.join(', ') },
    button: buttons[verb],
    back: channelPath(name),
  });
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
async function act(visit: ConsoleVisit, verb: Verb): Promise<Response> {
  const name = visit.params.name ?? '';
  const run = (force: boolean) =>
    verb === 'remove'
      ? removeChannel(visit.tools, name, { force, actor: ACTOR })
      : setChannelEnabled(visit.tools, name, { enabled: verb === 'enable', force, actor: ACTOR });
  try {
    await run(false);
  } catch (error) {
    if (!(error instanceof OperatingRefused) || error.code !== 'last_routes') throw error;
    const named = (visit.form.get('lost') ?? '').split(', ');
    const isKnown = (error.facts.subjects ?? []).every((model) => named.includes(model));
    if (!isKnown || visit.form.get('confirmed') !== 'yes') return ask(visit, verb);
    await run(true);
  }
  if (verb === 'remove') return visit.go('/channels');
  const { enabledNow, disabledNow } = visit.page.words.channels;
  const text = verb === 'enable' ? enabledNow(name) : disabledNow(name);
  return visit.goWith(channelPath(name), { notice: { text } });
}
