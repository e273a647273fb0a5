// A gateway with a model for every format of clients, and for embeddings and images, all on one scripted upstream. Each test
// has an account of its own.

import { afterAll, beforeAll, beforeEach } from 'bun:test';
import { startTestGateway, type TestGateway } from './gateway.ts';
import { upModel } from './test-document.ts';
import { type ScriptedUpstream, startUpstream } from './upstream.ts';
import { WIRE_CLIENTS } from './wire-clients.ts';

type Fields = Record<string, unknown>;

export interface AllFormats {
  readonly upstream: ScriptedUpstream;
  readonly gateway: TestGateway;
  readonly key: string;
}

const MEDIA = ['embeddings', 'images', 'speech', 'rerank', 'moderation'];
const ENDPOINTS: Record<string, { endpoints: string[] }> = { chat: { endpoints: ['chat', ...MEDIA] } };

/** `variants`: by the prefix of their names, fields of the models of each format; a model is named after its format. */
export function useAllFormats(variants: Readonly<Record<string, Fields>>): AllFormats {
  let upstream: ScriptedUpstream;
  let gateway: TestGateway;
  let key: string;
  const modelsOf = (format: string, channel: string, kinds: Fields = {}) =>
    Object.entries(variants).map(([prefix, fields]) =>
      upModel(prefix + format, { routes: [{ channel, model: 'scripted-2026-01' }], ...fields, ...kinds }),
    );

  beforeAll(async () => {
    upstream = await startUpstream();
    gateway = await startTestGateway({
      document: (standard) => ({
        ...standard,
        channels: [
          ...standard.channels,
          ...WIRE_CLIENTS.map(({ name, channel }) => channel(name, upstream.baseUrl, ENDPOINTS[name])),
        ],
        models: [
          ...standard.models,
          ...WIRE_CLIENTS.flatMap(({ name }) => modelsOf(name, name)),
          ...MEDIA.flatMap((kind) => modelsOf(kind, 'chat', { kinds: [kind] })),
        ],
      }),
    });
  });
  beforeEach(async () => {
    upstream.reset();
    ({ key } = await gateway.register());
  });
  afterAll(async () => {
    await gateway.stop();
    await upstream.close();
  });

  return {
    get upstream() {
      return upstream;
    },
    get gateway() {
      return gateway;
    },
    get key() {
      return key;
    },
  };
}
