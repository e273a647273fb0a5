// What pages gain where scripts run: buttons that copy, lists that open where there is room, a card's code from the link, one click that counts once, and the
// playground. Everything else works without.

for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    const code = button.closest('.copy, .copy-id').querySelector('pre, .id');
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      // Where a page may not write there, it is at least selected.
      getSelection().selectAllChildren(code);
      return;
    }
    const label = button.textContent;
    button.textContent = button.dataset.done;
    setTimeout(() => {
      button.textContent = label;
    }, 1500);
  });
}

for (const list of document.querySelectorAll('details[data-open-wide]')) {
  list.open = matchMedia('(min-width: 48rem)').matches;
}

// A card's link has the code behind its #, which no server sees. It goes along through signing in and into the other
// language, and away once it stands in its field. So does a code that was sent after the session had ended.
function takeCard() {
  const sent = document.querySelector('[data-card-waits]')?.dataset.cardWaits;
  const [cardLink, cardCode] = /^#(?:code=)?(PC-[\w-]+)$/i.exec(location.hash || sent) ?? [];
  if (!cardCode) return;
  const carrying = (address) => new URL(cardLink, address).href;
  for (const form of document.querySelectorAll('form[data-keep-code]')) form.action = carrying(form.action);
  for (const link of document.querySelectorAll('a[data-keep-code]')) link.href = carrying(link.href);
  for (const notice of document.querySelectorAll('[data-card-waits]')) notice.hidden = false;
  for (const notice of document.querySelectorAll('[data-without-card]')) notice.hidden = true;
  for (const input of document.querySelectorAll('[data-from-link]')) {
    input.value = cardCode;
    history.replaceState(null, '', location.pathname + location.search);
  }
}
takeCard();
// With the page open already, the link of another card changes nothing but what is behind the #.
addEventListener('hashchange', takeCard);

for (const form of document.querySelectorAll('form[data-once]')) {
  form.addEventListener('submit', () => {
    form.querySelector('button').disabled = true;
  });
}
// A page that the browser kept is as it was before the click.
addEventListener('pageshow', () => {
  for (const button of document.querySelectorAll('form[data-once] button')) button.disabled = false;
});

const play = document.getElementById('play');
if (play) {
  const words = JSON.parse(play.dataset.words);
  const answer = document.getElementById('answer');
  const served = document.getElementById('served');
  const button = play.querySelector('button');
  let running;

  const say = (text, isBad = false, link = undefined) => {
    served.textContent = text;
    if (link)
      served.append(' ', Object.assign(document.createElement('a'), { href: link.href, textContent: link.text }));
    served.classList.toggle('bad', isBad);
  };

  play.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (running) return running.abort();
    // Blanks are no prompt, though the browser takes them for one: emptied, the field is asked for.
    const { prompt } = play.elements;
    if (!prompt.value.trim()) {
      prompt.value = '';
      play.reportValidity();
      return;
    }
    running = new AbortController();
    button.textContent = words.stop;
    answer.textContent = '';
    answer.setAttribute('aria-busy', 'true');
    say(words.asking);
    try {
      await ask(new FormData(play), running.signal);
      if (!answer.textContent) answer.textContent = words.noText;
    } catch (error) {
      // Where it failed, no answer is on its way to the box.
      if (error.name !== 'AbortError') say(error.text ?? words.offline, true, error.link);
      else {
        say(words.stopped);
        if (!answer.textContent) answer.textContent = words.waiting;
      }
    } finally {
      running = undefined;
      button.textContent = words.send;
      answer.removeAttribute('aria-busy');
    }
  });
  const { model } = play.elements;
  const showPrice = () => {
    document.getElementById('price').textContent = model.selectedOptions[0]?.dataset.price ?? '';
  };
  model.addEventListener('change', showPrice);
  // A page that the browser kept, or loads again, has the model that was chosen.
  addEventListener('pageshow', showPrice);
  button.disabled = false;
  document.getElementById('needs-script')?.remove();

  async function ask(form, signal) {
    const response = await fetch('/account/play', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: form.get('model'), prompt: form.get('prompt') }),
      signal,
    });
    if (!response.ok) throw await refused(response);
    const answered = {
      channel: response.headers.get('x-svc-channel'),
      requestId: response.headers.get('x-request-id'),
      ending: '',
    };
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let begun = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (begun + value).split('\n');
      begun = lines.pop();
      for (const line of lines) if (line.startsWith('data: {')) take(JSON.parse(line.slice(6)), answered);
    }
  }

  async function refused(response) {
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    // A page: that which asks to sign in, or one that only says that something failed, perhaps of a proxy in between.
    if (!isJson) return { text: response.status === 401 ? words.expired : words.unanswered };
    const { message, link } = (await response.json()).error;
    return { text: message, link };
  }

  function take(chunk, answered) {
    if (chunk.error) throw { text: words.faults[chunk.error.code] ?? chunk.error.message };
    const { delta, finish_reason: ending } = chunk.choices?.[0] ?? {};
    // A model that refuses may say so in a field of its own.
    for (const text of [delta?.content, delta?.refusal]) {
      if (!text) continue;
      if (!answer.textContent) say('');
      answer.append(text);
    }
    // An answer that is not whole must not look as if it were.
    if (ending in words.endings) answered.ending = `${words.endings[ending]} `;
    const nano = chunk.usage?.cost_nano;
    if (nano === undefined) return;
    const served = words.served.replace('{channel}', () => answered.channel).replace('{cost}', () => money(nano));
    const receipt = { href: `/account/receipts/${answered.requestId}`, text: words.receipt };
    say(answered.ending + served, answered.ending !== '', receipt);
  }

  /** As pages write it: exact, with two decimals at least. */
  function money(nano) {
    const digits = nano.padStart(10, '0');
    return `NT$${digits.slice(0, -9)}.${digits.slice(-9, -7)}${digits.slice(-7).replace(/0+$/, '')}`;
  }
}
