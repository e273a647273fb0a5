// Whether a Claude model may reason without showing it, from its generation and from what the request asks for.

import { expect, test } from 'bun:test';
import { mayReasonUnseen } from '../../../src/dialects/input/reasoning.ts';

const OFF = { thinking: { type: 'disabled' } };

test.each([
  ['claude-sonnet-4-5', {}, false],
  ['claude-sonnet-4-5', { thinking: { type: 'enabled', budget_tokens: 2_000 } }, true],
  // From the fifth generation on, a request that says nothing makes it think.
  ['anthropic.claude-opus-5', {}, true],
  ['anthropic.claude-opus-5', OFF, false],
  ['claude-haiku-5-5', { reasoning_effort: 'none' }, false],
  // These cannot be turned off altogether.
  ['claude-sonnet-5-5', { reasoning_effort: 'none' }, true],
  ['claude-opus-5-5', OFF, true],
])('%s with %p: %p', (model, body, expected) => {
  expect(mayReasonUnseen(model, body, 0)).toBe(expected);
});
