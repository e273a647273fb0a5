// Google's Gemini format, as the relay uses it.

import { editMembers } from '../../kit/json/json.ts';
import type { Dialect } from '../dialect.ts';
import { canPass } from './passes.ts';
import { readAnswer, writeUsage } from './read-answer.ts';
import { isList, readRequest } from './read-request.ts';
import { GeminiReader, joinStream, writeAsStream } from './read-stream.ts';
import { writeRequest } from './write-request.ts';
import { GeminiWriter } from './write-stream.ts';

export const gemini: Dialect = {
  endpoint: 'gemini',
  envelope: 'google',
  request: { promptField: 'contents', read: readRequest, canPass, write: writeRequest },
  answer: {
    read: readAnswer,
    write: (document, modelVersion, _, usage) =>
      editMembers(document, usage ? { modelVersion, usageMetadata: writeUsage(usage) } : { modelVersion }),
  },
  stream: {
    createReader: () => new GeminiReader(),
    createWriter: (request, options) => new GeminiWriter(request, options),
    otherForm: { writeAsStream, joinStream },
    contentType: ({ document }) => (isList(document) ? 'application/json; charset=utf-8' : undefined),
  },
};
