// How a prompt too long is told where its figures are known. Coding agents recognise the first sentence, and read from
// its two figures how much to leave out; libraries made for OpenAI's errors recognise the second, which is OpenAI's own.

export function tooLongText(tokens: number, most: number): string {
  return `The prompt is too long: ${tokens} tokens > ${most} maximum. This model's maximum context length is ${most} tokens. Shorten the prompt, or choose a model with a larger context.`;
}
