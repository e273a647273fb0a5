// /api/admin/channels: list, test, switch on and off, remove.

import { z } from 'zod';
import { listChannels, showChannel } from '../actions/channels.ts';
import { removeChannel, setChannelEnabled } from '../actions/enable-channel.ts';
import { testChannel } from '../actions/test-channel.ts';
import { ACTOR, type AdminOperation, flag, operation, text } from './operation.ts';

export const CHANNEL_OPERATIONS: readonly AdminOperation[] = [
  operation('GET /api/admin/channels', {
    id: 'listChannels',
    summary: 'Every channel: health, breakers, last errors, figures by hour.',
    run: async (tools) => ({ data: await listChannels(tools) }),
  }),
  operation('GET /api/admin/channels/:name', {
    id: 'showChannel',
    summary: 'One channel.',
    run: (tools, { params }) => showChannel(tools, params.name),
  }),
  operation('DELETE /api/admin/channels/:name', {
    id: 'removeChannel',
    summary: 'Take a channel away with its routes; `force` also takes the models that would have no route left.',
    query: z.object({ force: z.stringbool().default(false) }),
    run: (tools, { params, query: { force } }) => removeChannel(tools, params.name, { force, actor: ACTOR }),
  }),
  operation('POST /api/admin/channels/:name/test', {
    id: 'testChannel',
    summary:
      'One small real call: a chat, an embedding, a rerank or a moderation, as `model` is; without it the first chat model, or else the first of another kind. Images and audio are refused with `only_images`.',
    body: z.strictObject({ model: text.optional() }),
    run: (tools, { params, body: { model } }) => testChannel(tools, params.name, { model, actor: ACTOR }),
  }),
  ...(['enable', 'disable'] as const).map((verb) =>
    operation(`POST /api/admin/channels/:name/${verb}`, {
      id: `${verb}Channel`,
      summary:
        verb === 'enable'
          ? 'Switch a channel on again.'
          : 'Switch a channel off; refused with the models that would lose their last route, unless forced.',
      body: z.strictObject({ force: flag }),
      run: (tools, { params, body: { force } }) =>
        setChannelEnabled(tools, params.name, { enabled: verb === 'enable', force, actor: ACTOR }),
    }),
  ),
];
