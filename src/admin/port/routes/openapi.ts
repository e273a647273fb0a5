// GET /openapi.json of the operator's port.

import { openapiDocument } from '../../api/openapi.ts';

export function openapi(): Response {
  return Response.json(openapiDocument());
}
