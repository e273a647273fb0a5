// The body of a call with files: a form, kept in memory only, and counted twice because it is written once more for the
// upstream.

import { type Form, type FormRules, readForm } from '../dialects/form/form.ts';
import { type Fault, fault } from '../faults/fault.ts';
import { isMultipart } from '../kit/multipart.ts';
import type { ModelCall } from './call-model.ts';
import type { HttpTools, KeyedExchange } from './exchange.ts';
import { type BodyCapacity, readBody } from './read-body.ts';
import { requireKey } from './read-keyed-body.ts';

interface Counting {
  capacity: BodyCapacity;
  /** The same, and the work of a large body. */
  counted: BodyCapacity;
}

/** Undefined if the call takes no files, or its body is not a form. */
export async function readFiles(
  tools: Pick<HttpTools, 'clock' | 'authenticator'>,
  { request, key }: KeyedExchange,
  { dialect }: Pick<ModelCall, 'dialect'>,
  { capacity, counted }: Counting,
): Promise<Form | undefined> {
  const { form: rules } = dialect.request;
  const type = request.headers.get('content-type');
  if (!rules || !isMultipart(type)) return undefined;
  const body = await readBody(request, rules.maxBytes, tools.clock, {
    grow(bytes) {
      counted.grow(bytes);
      capacity.grow(bytes);
    },
    reserve: () => false,
  });
  requireKey(await tools.authenticator.revalidate(key));
  return readForm(body, type, rules);
}

/** For a body in JSON where only a form can hold the file. */
export function needsForm({ files }: FormRules): Fault {
  const [name = 'file'] = Object.keys(files);
  return fault('invalid_request', {
    param: name,
    message: `${name} is missing. Send it as a file, in multipart/form-data.`,
  });
}
