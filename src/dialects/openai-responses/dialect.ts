// The OpenAI Responses format, as the relay uses it.

import { editMembers } from '../../kit/json/json.ts';
import type { Dialect } from '../dialect.ts';
import { joinStream, writeAsStream } from './other-form.ts';
import { createStreamReader, readAnswer } from './read-answer.ts';
import { findRemovals, loweredFields, readRequest } from './read-request.ts';
import { conversationStart } from './sealed-reasoning.ts';
import { writeUsage } from './usage.ts';
import { DROPPED_UNSEALED, writeRequest } from './write-request.ts';
import { createStreamWriter } from './write-stream.ts';

export const openaiResponses: Dialect = {
  endpoint: 'responses',
  envelope: 'openai',
  request: {
    promptField: 'input',
    read: readRequest,
    findRemovals,
    loweredFields,
    droppedUnsealed: () => DROPPED_UNSEALED,
    conversationStart,
    write: writeRequest,
  },
  answer: {
    read: readAnswer,
    write: (document, model, _, usage) =>
      editMembers(document, usage ? { model, usage: writeUsage(usage) } : { model }),
  },
  stream: {
    createReader: createStreamReader,
    createWriter: createStreamWriter,
    otherForm: { writeAsStream, joinStream },
  },
};
