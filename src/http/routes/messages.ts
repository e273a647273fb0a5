// POST /v1/messages.

import { anthropicMessages } from '../../dialects/anthropic-messages/dialect.ts';
import { readModel, readRequest } from '../../dialects/anthropic-messages/read-request.ts';
import { chooseModel, requireEndpoint } from '../../relay/choose-model.ts';
import { relayRequest } from '../../relay/relay-request.ts';
import type { HttpTools, KeyedExchange } from '../exchange.ts';
import { readBodyJson } from '../read-body.ts';
import { readSessionKey } from '../session-key.ts';
import { CHAT_MAX_BYTES } from './chat-completions.ts';

const PASSED_ON = ['anthropic-version', 'anthropic-beta'];

export async function messages(tools: HttpTools, exchange: KeyedExchange): Promise<Response> {
  const { request, key, requestId } = exchange;
  const document = await readBodyJson(request, CHAT_MAX_BYTES, tools.clock);
  const catalog = tools.catalog();
  const model = chooseModel(catalog, key, readModel(document), 'chat');
  requireEndpoint(model, 'messages');
  const { headers, body } = await relayRequest(tools.relay, {
    requestId,
    key,
    catalog,
    model,
    dialect: anthropicMessages,
    request: readRequest(document),
    endpoint: '/v1/messages',
    sessionKey: readSessionKey(request.headers, document.value),
    headers: pick(request.headers, PASSED_ON),
    noWait: request.headers.get('x-svc-no-wait') === '1',
    gone: request.signal,
  });
  return new Response(body, { headers });
}

function pick(headers: Headers, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}
