/** @jsxImportSource hono/jsx */
// The pages of the channels: the list, and each one with its test. Forms that change a channel are in the files beside.

import { milliseconds, sentences } from '../../../site/format.ts';
import type { Notice } from '../../../site/frame.tsx';
import { listChannels, showChannel } from '../../actions/channels.ts';
import { type ChannelTest, testChannel } from '../../actions/test-channel.ts';
import { ACTOR, type ConsoleTools } from '../tools.ts';
import type { ConsoleVisit, ConsoleVisits, ShowRefused } from '../visits.tsx';
import { addConnectPages } from './connect-routes.tsx';
import { ChannelPage } from './detail.tsx';
import { ChannelsPage, channelPath } from './list.tsx';
import { addSwitchPages } from './switch-pages.tsx';

export function addChannelPages(visits: ConsoleVisits, tools: ConsoleTools): void {
  addConnectPages(visits, tools);
  visits.get('/channels', async (visit) => {
    return visit.show(<ChannelsPage context={visit.page} channels={await listChannels(tools)} />);
  });
  visits.get('/channels/:name', (visit) => showOne(tools, visit));
  const again: ShowRefused = (visit, notice, status) => showOne(tools, visit, notice, status);
  visits.post('/channels/:name/test', (visit) => test(tools, visit), again);
  addSwitchPages(visits, tools, again);
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
    : testFailure(visit, tested);
  return showOne(tools, visit, { text, isBad: !tested.ok });
}

function testFailure({ page: { words } }: ConsoleVisit, { model, detail, trouble }: ChannelTest): string {
  const { name, todo } = words.troubles[trouble ?? 'unknown'];
  return sentences(words.channels.testBad(model, name, detail), todo);
}
