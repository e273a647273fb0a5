// What pages gain where scripts run: buttons that copy, a card's code from the link, one click that counts once, and the
// playground. Everything else works without.

for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.closest('.copy').querySelector('pre').textContent);
    const label = button.textContent;
    button.textContent = button.dataset.done;
    setTimeout(() => {
      button.textContent = label;
    }, 1500);
  });
}

for (const input of document.querySelectorAll('[data-from-fragment]')) {
  const code = decodeURIComponent(location.hash.slice(1));
  if (!code) continue;
  input.value = code.replace(/^code=/, '');
  history.replaceState(null, '', location.pathname + location.search);
}

for (const form of document.querySelectorAll('form[data-once]')) {
  form.addEventListener('submit', () => {
    form.querySelector('button').disabled = true;
  });
}

const play = document.getElementById('play');
if (play) {
  const answer = document.getElementById('answer');
  const served = document.getElementById('served');
  const button = play.querySelector('button');
  let running;

  play.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (running) return running.abort();
    running = new AbortController();
    button.textContent = play.dataset.stop;
    answer.textContent = '';
    served.textContent = '';
    try {
      await ask(new FormData(play), running.signal);
    } catch (error) {
      if (error.name !== 'AbortError') served.textContent = error.message;
    } finally {
      running = undefined;
      button.textContent = play.dataset.send;
      if (!answer.textContent) answer.textContent = answer.dataset.waiting;
    }
  });

  async function ask(form, signal) {
    const response = await fetch('/account/play', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: form.get('model'), prompt: form.get('prompt') }),
      signal,
    });
    if (!response.ok) throw new Error((await response.json()).error.message);
    const channel = response.headers.get('x-svc-channel');
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let begun = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (begun + value).split('\n');
      begun = lines.pop();
      for (const line of lines) if (line.startsWith('data: {')) take(JSON.parse(line.slice(6)), channel);
    }
  }

  function take(chunk, channel) {
    if (chunk.error) throw new Error(chunk.error.message);
    answer.append(chunk.choices?.[0]?.delta?.content ?? '');
    if (chunk.usage?.cost_ntd === undefined) return;
    const cost = `NT$${chunk.usage.cost_ntd}`;
    served.textContent = play.dataset.served.replace('{channel}', channel).replace('{cost}', cost);
  }
}
