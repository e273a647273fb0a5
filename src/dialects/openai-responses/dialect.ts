// The OpenAI Responses format, as the relay uses it.

import { editMembers } from '../../kit/json/json.ts';
import type { Dialect } from '../dialect.ts';
import { conversationStart } from './conversation-start.ts';
import { joinStream, writeAsStream } from './other-form.ts';
import { readAnswer } from './read-answer.ts';
import { findRemovals, loweredFields, readRequest } from './read-request.ts';
import { createStreamReader } from './read-stream.ts';
import { writeUsage } from './usage.ts';
import { writePrefill, writeRequest } from './write-request.ts';
import { createStreamWriter } from './write-stream.ts';

export const openaiResponses: Dialect = {
  envelope: 'openai',
  endpoint: 'responses',
  promptField: 'input',
  readRequest,
  findRemovals,
  loweredFields,
  conversationStart,
  writeRequest,
  writePrefill,
  readAnswer,
  writeAnswer: (document, model, _, usage) =>
    editMembers(document, usage ? { model, usage: writeUsage(usage) } : { model }),
  otherForm: { writeAsStream, joinStream },
  createStreamReader: () => createStreamReader(),
  createStreamWriter,
};
