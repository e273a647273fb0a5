// One request of the playground and its streamed answer: text as it comes, then what it cost and how fast it was.

/** Calls `onText` with each piece of the answer, and `onThought` with each of what the model thinks before; gives `{ channel, requestId, ending, usage, firstTokenMs, answeredMs }`. */
globalThis.playParts.ask = async (body, signal, words, { onText, onThought }) => {
  const begunAt = performance.now();
  const response = await fetch('/account/play', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  });
  if (!response.ok) throw await refusal(response);
  const result = { channel: response.headers.get('x-svc-channel'), requestId: response.headers.get('x-request-id') };
  const take = (chunk) => {
    if (chunk.error) throw { text: words.faults[chunk.error.code] ?? chunk.error.message, others: 'any' };
    const { delta, finish_reason: ending } = chunk.choices?.[0] ?? {};
    // A model that refuses may say so in a field of its own.
    const text = (delta?.content ?? '') + (delta?.refusal ?? '');
    // Some say it under both names.
    const thought = delta?.reasoning_content ?? delta?.reasoning;
    if (text || thought) result.firstTokenMs ??= performance.now() - begunAt;
    if (thought) onThought(thought);
    if (text) onText(text);
    // An answer that is not whole must not look as if it were.
    if (ending in words.endings) result.ending = words.endings[ending];
    if (chunk.usage?.cost_nano !== undefined) result.usage = chunk.usage;
  };
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let begun = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const lines = (begun + value).split('\n');
    begun = lines.pop();
    for (const line of lines) if (line.startsWith('data: {')) take(JSON.parse(line.slice(6)));
  }
  return { ...result, answeredMs: performance.now() - begunAt };

  async function refusal(refused) {
    const isJson = refused.headers.get('content-type')?.startsWith('application/json');
    // A page: that which asks to sign in, or one that only says that something failed, perhaps of a proxy in between.
    if (!isJson) return { text: refused.status === 401 ? words.expired : words.unanswered };
    const { message, link, others } = (await refused.json()).error;
    return { text: message, link, others };
  }
};

/** As lists write it: two decimals from NT$1 on, up to four below. */
globalThis.playParts.roundedMoney = (nano) => {
  const ntd = Number(nano) / 1e9;
  if (ntd === 0) return 'NT$0';
  if (ntd < 0.0001) return '< NT$0.0001';
  return `NT$${ntd.toFixed(ntd < 1 ? 4 : 2).replace(/(\.\d\d\d*?)0+$/, '$1')}`;
};

/** As details write it: exact, with two decimals at least. */
globalThis.playParts.exactMoney = (nano) => {
  const digits = nano.padStart(10, '0');
  return `NT$${digits.slice(0, -9)}.${digits.slice(-9, -7)}${digits.slice(-7).replace(/0+$/, '')}`;
};
