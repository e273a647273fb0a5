// Whether a model may reason without showing it, so that only the upstream's report has the usage of an unfinished answer.
// Decided by the model's name and the request; for unknown names by earlier reports.

import { isObject, type Json, type JsonObject } from '../../kit/json/json.ts';
import { byModel } from '../../vendors/by-model.ts';
import { claudeTraits, versionOf } from '../../vendors/claude.ts';
import { geminiTraits } from '../../vendors/gemini.ts';
import { familyName, openaiTraits } from '../../vendors/openai.ts';

/**
 * Whether a model reasons, by its name: always, unless the request turns it off, only if the request turns it on, or never.
 */
type Reasons = 'always' | 'unless_refused' | 'if_asked' | 'never' | 'unknown';

/** A model of an unknown name that is silent for so long may have reasoned. */
const SUSPICIOUS_MS = 2_000;

/** `model`: its name at the upstream. `body`: the client's request, in any dialect. `silentMs`: until its first visible output. */
export function mayReasonUnseen(model: string, body: JsonObject, silentMs: number): boolean {
  switch (reasonsOf(model)) {
    case 'always':
      return true;
    case 'unless_refused':
      return answerOf(body) !== 'no';
    case 'if_asked':
      return answerOf(body) === 'yes';
    case 'never':
      return false;
    case 'unknown':
      return answerOf(body) === 'yes' || (silentMs >= SUSPICIOUS_MS && answerOf(body) !== 'no');
  }
}

const reasonsOf = byModel((model): Reasons => {
  const name = familyName(model);
  if (versionOf(name) !== undefined || name.includes('claude-')) {
    const { thinking, thinkingOff, thinksByDefault } = claudeTraits(name);
    if (thinking === 'none') return 'never';
    if (thinkingOff !== 'disabled') return 'always';
    return thinksByDefault ? 'unless_refused' : 'if_asked';
  }
  if (name.startsWith('gemini-')) {
    const { thinking } = geminiTraits(name);
    if (thinking.by === 'nothing') return 'never';
    return thinking.by === 'budget' && thinking.canStop ? 'unless_refused' : 'always';
  }
  const { isKnown, alwaysThinks, takesSampling, takesEffort, efforts } = openaiTraits(name);
  if (!isKnown) return 'unknown';
  if (alwaysThinks) return 'always';
  // The vendor's reasoning models take no sampling settings.
  if (!takesSampling) return efforts.includes('none') ? 'unless_refused' : 'always';
  return takesEffort ? 'if_asked' : 'never';
});

type Answer = 'yes' | 'no' | undefined;

/** Whether a request turns reasoning on or off, in the fields of any dialect. On wins. */
function answerOf(body: JsonObject): Answer {
  const { reasoning_effort: effort, reasoning, thinking, output_config: config, enable_thinking: flag } = body;
  const answers = [wordOf(effort), flagOf(flag)];
  if (isObject(reasoning)) {
    answers.push(wordOf(reasoning.effort) ?? flagOf(reasoning.enabled) ?? countOf(reasoning.max_tokens));
  }
  if (isObject(thinking)) answers.push(thinking.type === 'disabled' ? 'no' : 'yes');
  if (isObject(config)) answers.push(wordOf(config.effort));
  return answers.find((answer) => answer === 'yes') ?? answers.find((answer) => answer !== undefined);
}

function wordOf(word: Json | undefined): Answer {
  if (typeof word !== 'string') return undefined;
  return word === 'none' ? 'no' : 'yes';
}

function flagOf(flag: Json | undefined): Answer {
  if (typeof flag !== 'boolean') return undefined;
  return flag ? 'yes' : 'no';
}

function countOf(tokens: Json | undefined): Answer {
  if (typeof tokens !== 'number') return undefined;
  return tokens > 0 ? 'yes' : 'no';
}
