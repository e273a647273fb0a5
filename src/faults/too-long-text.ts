// How a prompt too long is told where its figures are known. Coding agents know it by the first sentence, and learn from the
// two figures how much to leave out; libraries made for OpenAI's errors know it by the second, which is OpenAI's own.

export function tooLongText(tokens: number, most: number): string {
  return `Shorten the prompt or choose a model with a larger context: prompt is too long: ${tokens} tokens > ${most} maximum. This model's maximum context length is ${most} tokens.`;
}
