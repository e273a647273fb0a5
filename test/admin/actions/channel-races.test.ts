// A channel is switched off on the ground of the revision that was looked at, never on that of a newer one.

import { expect, test } from 'bun:test';
import { setChannelEnabled } from '../../../src/admin/actions/enable-channel.ts';
import type { OperatingTools } from '../../../src/admin/actions/tools.ts';
import { openaiChannel, testDocument } from '../../support/test-document.ts';

/** Two channels serve the same models; in the second revision somebody else has switched the first one off. */
function revisionOf(revision: number) {
  const url = 'http://127.0.0.1:9';
  const standard = testDocument(url);
  const first = openaiChannel('up', url, { api_key: 'env:UP', ...(revision > 1 ? { enabled: false } : {}) });
  const second = openaiChannel('up-2', url, { api_key: 'env:UP' });
  const routes = ['up', 'up-2'].map((channel) => ({ channel, model: 'scripted-2026-01' }));
  const document = {
    ...standard,
    channels: [{ name: 'demo', kind: 'demo' }, first, second],
    models: standard.models.map((model) => (String(model.id).startsWith('up-') ? { ...model, routes } : model)),
  };
  return { revision, createdAt: 0, source: 'operator', sourceHash: '', document: JSON.stringify(document) };
}

test.each([1, 2, 3])('what somebody else switched off after look %i is not overlooked', async (before) => {
  let looks = 0;
  const revised: number[] = [];
  const tools = {
    clock: { now: () => 0 },
    follow: async () => {},
    store: {
      read: {
        newestRevision: async () => revisionOf(looks++ < before ? 1 : 2),
        revision: async (revision: number) => revisionOf(revision),
        trafficDays: async () => [],
      },
      async commit(_: string, { expects }: { expects: number }) {
        if (expects !== 2) return { ok: false, reason: 'stale' };
        revised.push(expects);
        return { ok: true };
      },
    },
  } as unknown as OperatingTools;
  const off = setChannelEnabled(tools, 'up-2', { enabled: false, force: false, actor: 'token' });
  expect(await off.catch((error) => error)).toMatchObject({ code: 'stale' });
  expect(revised).toEqual([]);
});
