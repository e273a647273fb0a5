/** @jsxImportSource hono/jsx */
// The pages of the channels: view, test, switch on and off.

import { milliseconds } from '../../../site/format.ts';
import type { Notice } from '../../../site/frame.tsx';
import { type ChannelView, listChannels, showChannel } from '../../actions/channels.ts';
import { setChannelEnabled } from '../../actions/enable-channel.ts';
import { OperatingRefused } from '../../actions/refused.ts';
import { testChannel } from '../../actions/test-channel.ts';
import { ConfirmPage } from '../frame.tsx';
import { ACTOR, type ConsoleTools } from '../tools.ts';
import type { ConsoleVisit, ConsoleVisits, ShowRefused } from '../visits.tsx';
import { ChannelPage } from './detail.tsx';
import { ChannelsPage, channelPath } from './list.tsx';

export function addChannelPages(visits: ConsoleVisits, tools: ConsoleTools): void {
  visits.get('/channels', async (visit) => {
    return visit.show(<ChannelsPage context={visit.page} channels={await listChannels(tools)} />);
  });
  visits.get('/channels/:name', (visit) => showOne(tools, visit));
  const again: ShowRefused = (visit, notice, status) => showOne(tools, visit, notice, status);
  visits.post('/channels/:name/test', (visit) => test(tools, visit), again);
  for (const enabled of [true, false]) {
    const verb = enabled ? 'enable' : 'disable';
    visits.get(`/channels/:name/${verb}`, async (visit) => {
      return askSwitch(visit, await showChannel(tools, nameOf(visit)), await listChannels(tools), enabled);
    });
    visits.post(`/channels/:name/${verb}`, (visit) => flip(tools, visit, enabled), again);
  }
}

function nameOf({ params }: ConsoleVisit): string {
  return params.name ?? '';
}

async function showOne(tools: ConsoleTools, visit: ConsoleVisit, notice?: Notice, status = 200): Promise<Response> {
  const channel = await showChannel(tools, nameOf(visit));
  const page = { ...visit.page, path: channelPath(channel.name), query: '' };
  return visit.show(<ChannelPage context={page} channel={channel} notice={notice} />, { status });
}

async function test(tools: ConsoleTools, visit: ConsoleVisit): Promise<Response> {
  const { channels } = visit.page.words;
  const model = visit.form.get('model') || undefined;
  const tested = await testChannel(tools, nameOf(visit), { model, actor: ACTOR });
  const text = tested.ok
    ? channels.testOk(tested.model, milliseconds(tested.ms), milliseconds(tested.firstByteMs))
    : channels.testBad(tested.model, tested.detail);
  return showOne(tools, visit, { text, isBad: !tested.ok });
}

/** Before a channel is switched off: which models keep working without it. */
function askSwitch(visit: ConsoleVisit, channel: ChannelView, all: readonly ChannelView[], enabled: boolean): Response {
  const { channels } = visit.page.words;
  const others = all.filter((one) => one.enabled && one.name !== channel.name);
  const isServed = (model: string) => others.some(({ models }) => models.includes(model));
  const [kept, lost] = [channel.models.filter(isServed), channel.models.filter((model) => !isServed(model))];
  const list = (models: readonly string[]) => models.join(', ');
  const off = [
    channels.disableText,
    ...(lost.length > 0 ? [channels.disableLoses(list(lost))] : []),
    ...(kept.length > 0 ? [channels.disableKeeps(list(kept))] : []),
    ...(channel.models.length === 0 ? [channels.disableUnused] : []),
    channels.disableRevision,
  ];
  const { name } = channel;
  return visit.show(
    <ConfirmPage
      context={visit.page}
      section="channels"
      title={enabled ? channels.enableTitle(name) : channels.disableTitle(name)}
      consequences={enabled ? [channels.enableText] : off}
      action={`${channelPath(name)}/${enabled ? 'enable' : 'disable'}`}
      fields={{ lost: list(lost) }}
      button={enabled ? channels.enable : channels.disable}
      back={channelPath(name)}
    />,
  );
}

/** Forced only for the models that the page named; if another one would lose its last route, it asks again. */
async function flip(tools: ConsoleTools, visit: ConsoleVisit, enabled: boolean): Promise<Response> {
  const name = nameOf(visit);
  const set = (force: boolean) => setChannelEnabled(tools, name, { enabled, force, actor: ACTOR });
  try {
    await set(false);
  } catch (error) {
    if (!(error instanceof OperatingRefused) || error.code !== 'last_routes') throw error;
    const named = (visit.form.get('lost') ?? '').split(', ');
    const isKnown = (error.facts.subjects ?? []).every((model) => named.includes(model));
    if (!isKnown || visit.form.get('confirmed') !== 'yes') {
      return askSwitch(visit, await showChannel(tools, name), await listChannels(tools), enabled);
    }
    await set(true);
  }
  const { enabledNow, disabledNow } = visit.page.words.channels;
  return visit.goWith(channelPath(name), { notice: { text: enabled ? enabledNow(name) : disabledNow(name) } });
}
