// A vendor that lists these models and answers every call.

import { chatAnswer, jsonScript } from './openai-chat.ts';
import type { ScriptedUpstream } from './upstream.ts';

export function offerModels(upstream: ScriptedUpstream, models: readonly string[]): void {
  upstream.reset();
  upstream.otherwise(({ method }) =>
    method === 'GET'
      ? jsonScript(200, { object: 'list', data: models.map((id) => ({ id, object: 'model' })) })
      : chatAnswer(),
  );
}
