// The text for a prompt that is too long, with figures. Coding agents recognise the first sentence and read both
// figures to shorten the prompt; libraries for OpenAI's errors recognise the second, which is OpenAI's own.

export function tooLongText(tokens: number, most: number): string {
  return `The prompt is too long: ${tokens} tokens > ${most} maximum. This model's maximum context length is ${most} tokens. Shorten the prompt, or choose a model with a larger context.`;
}
