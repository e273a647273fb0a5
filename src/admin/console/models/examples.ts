// What an operator copies into the document, and then fills in.

export const EXAMPLE_CHANNEL = `channels:
  - name: openai
    kind: openai
    base_url: https://api.openai.com/v1
    api_key: env:OPENAI_API_KEY`;

export const EXAMPLE_MODEL = `models:
  - id: gpt-5-mini
    name: GPT-5 mini
    context_tokens: 400000
    max_output_tokens: 128000
    price:
      input: 8.125
      cached_input: 0.813
      output: 65
    routes:
      - channel: openai
        model: gpt-5-mini`;
