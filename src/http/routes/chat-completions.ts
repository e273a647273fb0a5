// POST /v1/chat/completions.

import { openaiChat } from '../../dialects/openai-chat/dialect.ts';
import { readModel, readRequest } from '../../dialects/openai-chat/read-request.ts';
import { chooseModel, requireEndpoint } from '../../relay/choose-model.ts';
import { relayRequest } from '../../relay/relay-request.ts';
import type { HttpTools, KeyedExchange } from '../exchange.ts';
import { readBodyJson } from '../read-body.ts';
import { readSessionKey } from '../session-key.ts';

export const CHAT_MAX_BYTES = 20 * 1024 * 1024;

export async function chatCompletions(tools: HttpTools, exchange: KeyedExchange): Promise<Response> {
  const { request, key, requestId } = exchange;
  const document = await readBodyJson(request, CHAT_MAX_BYTES, tools.clock);
  const catalog = tools.catalog();
  const model = chooseModel(catalog, key, readModel(document), 'chat');
  requireEndpoint(model, 'chat');
  const { headers, body } = await relayRequest(tools.relay, {
    requestId,
    key,
    catalog,
    model,
    dialect: openaiChat,
    request: readRequest(document),
    endpoint: '/v1/chat/completions',
    sessionKey: readSessionKey(request.headers, document.value),
    headers: {},
    noWait: request.headers.get('x-svc-no-wait') === '1',
    gone: request.signal,
  });
  return new Response(body, { headers });
}
