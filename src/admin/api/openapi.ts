// The operator's API as one OpenAPI document, from the same descriptions that read its calls.

import { z } from 'zod';
import packageJson from '../../../package.json' with { type: 'json' };
import { json, writeCalls } from '../../http/description.ts';
import { named, text } from '../../kit/shapes.ts';
import type { AdminOperation } from './operation.ts';

export function openapiDocument(operations: readonly AdminOperation[]) {
  const { paths, schemas } = writeCalls(operations, () => ({
    default: { description: 'Refused.', content: json(refusal) },
  }));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Operator API',
      version: packageJson.version,
      summary: 'Channels, catalog, cards, accounts, ledger, alarms and incidents, on the operator’s port.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'The value of ADMIN_TOKEN.' } },
      schemas,
    },
  };
}

const refusal = named('Refusal', {
  error: z.object({
    message: text.describe('The cause, then what to do.'),
    type: text,
    param: text.nullable().describe('The field that is wrong.'),
    code: text,
    request_id: text,
  }),
});
