// A gateway with a model behind every route, and an upstream that answers whatever it is asked.

import { messageAnswer, messageStream } from '../support/anthropic-messages.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../support/gateway.ts';
import { chatAnswer, chatStream, jsonScript } from '../support/openai-chat.ts';
import { responseAnswer, responseStream } from '../support/openai-responses.ts';
import { OTHER_KINDS, otherAnswer } from '../support/other-answers.ts';
import type { Script } from '../support/script.ts';
import { type TestDocument, UPSTREAM_KEY, upModel, upstreamUrl } from '../support/test-document.ts';
import type { SeenRequest } from '../support/upstream.ts';

/** Beside the standard models: one for messages, and one of each kind that is no chat. */
export function secureDocument(standard: TestDocument): TestDocument {
  const baseUrl = upstreamUrl(standard);
  return {
    ...standard,
    channels: [
      ...standard.channels,
      { name: 'up-messages', kind: 'anthropic', base_url: baseUrl.replace(/\/v1$/, ''), api_key: UPSTREAM_KEY },
    ],
    models: [
      ...standard.models,
      upModel('up-message', {
        price: { input: 10, output: 40 },
        routes: [{ channel: 'up-messages', model: 'scripted-2026-01' }],
      }),
      upModel('vectors', { kinds: ['embeddings'], price: { input: 2 } }),
      upModel('paint', { kinds: ['images'], price: { image: 0.001 } }),
      ...Object.entries(OTHER_KINDS).map(([kind, fields]) => upModel(kind, fields)),
    ],
    // Thousands of calls come from one address here, and many with bad keys.
    guards: { ...standard.guards, bad_keys_per_minute: null },
  };
}

export function answerAny({ path, json }: SeenRequest): Script {
  const stream = json.stream === true;
  if (path.endsWith('/messages')) return stream ? messageStream() : messageAnswer();
  if (path.endsWith('/responses')) return stream ? responseStream() : responseAnswer();
  if (path.endsWith('/embeddings')) {
    const data = [{ object: 'embedding', index: 0, embedding: [0.5, 1] }];
    return jsonScript(200, { object: 'list', data, model: 'x', usage: { prompt_tokens: 4, total_tokens: 4 } });
  }
  if (path.includes('/images/')) return jsonScript(200, { created: 1, data: [{ b64_json: 'QUJD' }] });
  return otherAnswer(path) ?? (stream ? chatStream() : chatAnswer());
}

export async function startSecure({ document, ...options }: TestGatewayOptions = {}): Promise<TestGateway> {
  const gateway = await startTestGateway({
    ...options,
    limits: { paid_per_minute: 1_000_000, in_flight: 10_000, free_per_minute: 1_000_000, ...options.limits },
    document: (standard) => (document ?? ((same) => same))(secureDocument(standard)),
  });
  gateway.upstream.otherwise(answerAny);
  return gateway;
}
