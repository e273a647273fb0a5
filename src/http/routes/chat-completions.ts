// POST /v1/chat/completions.

import { readModel, readRequest } from '../../dialects/openai-chat/read-request.ts';
import { chooseModel } from '../../relay/choose-model.ts';
import { relayRequest } from '../../relay/relay-request.ts';
import type { HttpTools, KeyedExchange } from '../exchange.ts';
import { readBodyJson } from '../read-body.ts';

export const CHAT_MAX_BYTES = 20 * 1024 * 1024;

export async function chatCompletions(tools: HttpTools, exchange: KeyedExchange): Promise<Response> {
  const { request, key, requestId } = exchange;
  const document = await readBodyJson(request, CHAT_MAX_BYTES, tools.clock);
  const catalog = tools.catalog();
  const model = chooseModel(catalog, key, readModel(document), 'chat');
  const { headers, body } = await relayRequest(tools.relay, {
    requestId,
    key,
    catalog,
    model,
    request: readRequest(document),
    endpoint: '/v1/chat/completions',
    noWait: request.headers.get('x-svc-no-wait') === '1',
    gone: request.signal,
  });
  return new Response(body, { headers });
}
