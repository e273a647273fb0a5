// The chat of the playground. It lives in this tab alone: nothing of it is kept, neither here nor on the server.

const form = document.getElementById('play');
if (form) {
  const { element, markdownNodes, copyButton, ask, roundedMoney, exactMoney } = globalThis.playParts;
  const words = JSON.parse(form.dataset.words);
  const copyWords = { label: words.copy, done: words.copied };
  const turns = document.getElementById('turns');
  const empty = document.getElementById('no-turns');
  const send = document.getElementById('send');
  const restart = document.getElementById('restart');
  const { model, prompt } = form.elements;
  /** Of the turns that were answered. */
  let messages = [];
  let running;

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (running) return;
    // Blanks are no message, though the browser takes them for one: emptied, the field is asked for.
    if (!prompt.value.trim()) {
      prompt.value = '';
      form.reportValidity();
      return;
    }
    const text = prompt.value;
    prompt.value = '';
    runTurn(text);
  });
  // While an answer comes it is the button that stops it, whatever stands in the field.
  send.addEventListener('click', (event) => {
    if (!running) return;
    event.preventDefault();
    running.abort();
  });
  prompt.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || running) return;
    event.preventDefault();
    form.requestSubmit();
  });
  restart.addEventListener('click', () => {
    running?.abort();
    messages = [];
    turns.replaceChildren();
    empty.hidden = false;
    restart.hidden = true;
    prompt.focus();
  });
  const showPrice = () => {
    document.getElementById('price').textContent = model.selectedOptions[0]?.dataset.price ?? '';
  };
  model.addEventListener('change', showPrice);
  // A page that the browser kept, or loads again, has the model that was chosen.
  addEventListener('pageshow', showPrice);
  send.disabled = false;
  document.getElementById('needs-script')?.remove();

  /** Who has scrolled up to read is left there. */
  const isEndSeen = () => turns.getBoundingClientRect().bottom < innerHeight + 80;
  const showEnd = (turn) => turn.scrollIntoView({ block: 'end' });

  function newTurn(look, who, content) {
    const text = element('div', content, { className: 'turn-text' });
    const turn = element('article', [element('h2', who, { className: 'turn-who' }), text], {
      className: `turn ${look}`,
    });
    turns.append(turn);
    return { turn, text };
  }

  async function runTurn(asked) {
    empty.hidden = true;
    restart.hidden = false;
    newTurn('is-user', words.you, asked);
    const { turn, text } = newTurn('is-model', model.value, []);
    const served = element('p', words.asking, { className: 'served faint' });
    served.setAttribute('role', 'status');
    turn.append(served);
    showEnd(turn);
    running = new AbortController();
    send.textContent = words.stop;
    turns.setAttribute('aria-busy', 'true');
    let answer = '';
    let isDrawn = true;
    const draw = () => {
      isDrawn = true;
      const isFollowed = isEndSeen();
      text.replaceChildren(...markdownNodes(answer, copyWords));
      if (isFollowed) showEnd(turn);
    };
    try {
      const result = await ask(requestOf(asked), running.signal, words, {
        onText(piece) {
          if (answer === '') served.textContent = '';
          answer += piece;
          // Many pieces may come between two frames.
          if (isDrawn) requestAnimationFrame(draw);
          isDrawn = false;
        },
        onThought(piece) {
          if (answer === '') served.textContent = words.thinking;
          thoughtOf(text).append(piece);
        },
      });
      draw();
      if (answer === '') text.append(element('p', words.noText, { className: 'faint' }));
      served.replaceChildren(...servedNodes(result));
      served.classList.toggle('bad', result.ending !== undefined);
      keep(asked, answer);
    } catch (error) {
      draw();
      if (error.name === 'AbortError') {
        served.textContent = words.stopped;
        keep(asked, answer);
      } else showFailure(turn, served, asked, error);
    } finally {
      running = undefined;
      send.textContent = words.send;
      turns.removeAttribute('aria-busy');
      const isFollowed = isEndSeen();
      const copy = copyButton(() => answer, copyWords);
      if (answer !== '') turn.append(element('p', copy, { className: 'turn-actions' }));
      if (isFollowed) showEnd(turn);
    }
  }

  /** Folded, above the answer. */
  function thoughtOf(text) {
    if (text.previousSibling.className !== 'thought') {
      const parts = [element('summary', words.reasoning), element('div', [])];
      text.before(element('details', parts, { className: 'thought' }));
    }
    return text.previousSibling.lastChild;
  }

  function requestOf(asked) {
    const { system, temperature, max_tokens: maxTokens } = form.elements;
    const given = (field) => (field.value === '' ? {} : { [field.name]: Number(field.value) });
    const first = system.value.trim() === '' ? [] : [{ role: 'system', content: system.value }];
    const turn = { role: 'user', content: asked };
    return { model: model.value, messages: [...first, ...messages, turn], ...given(temperature), ...given(maxTokens) };
  }

  function keep(asked, answer) {
    if (answer === '') return;
    messages.push({ role: 'user', content: asked }, { role: 'assistant', content: answer });
  }

  function servedNodes({ ending, channel, requestId, usage, firstTokenMs, answeredMs }) {
    if (!usage) return [ending ?? ''];
    const put = (text, value) => text.replace('{value}', () => value);
    const tokens = usage.completion_tokens ?? 0;
    const streamedMs = firstTokenMs === undefined ? 0 : answeredMs - firstTokenMs;
    const parts = [
      put(words.by, channel),
      element('span', roundedMoney(usage.cost_nano), { title: exactMoney(usage.cost_nano), className: 'cost' }),
      put(words.tokens, String(tokens)),
      ...(firstTokenMs === undefined ? [] : [put(words.firstToken, (firstTokenMs / 1000).toFixed(2))]),
      // Over a few milliseconds a rate says nothing.
      ...(streamedMs < 100 ? [] : [put(words.perSecond, ((tokens / streamedMs) * 1000).toFixed(0))]),
      element('a', words.receipt, { href: `/account/receipts/${requestId}` }),
    ];
    const joined = parts.flatMap((part, index) => (index === 0 ? [part] : [' · ', part]));
    return ending === undefined ? joined : [`${ending} `, ...joined];
  }

  async function showFailure(turn, served, asked, { text, link, others }) {
    served.textContent = text ?? words.offline;
    served.classList.add('bad');
    served.setAttribute('role', 'alert');
    if (link) served.append(' ', element('a', link.text, { href: link.href }));
    const actions = element('div', [], { className: 'row turn-actions' });
    turn.append(actions);
    const offer = (label, chosen) => {
      const button = element('button', label, { type: 'button', className: 'quiet small' });
      button.addEventListener('click', () => {
        if (running) return;
        model.value = chosen;
        showPrice();
        actions.remove();
        runTurn(asked);
      });
      return button;
    };
    actions.append(offer(words.again, model.value));
    if (!others) return;
    const working = await workingModels(model.value, others === 'free');
    if (working.length > 0) actions.append(element('span', words.alternatives, { className: 'faint' }));
    actions.append(
      ...working.map((id) =>
        offer(
          words.askInstead.replace('{value}', () => id),
          id,
        ),
      ),
    );
  }

  /** At most three that this key may use: those known to work first, the free one before others. */
  async function workingModels(failed, isFree) {
    const known = await fetch('/api/public/status').then(
      (response) => (response.ok ? response.json() : {}),
      () => ({}),
    );
    const states = new Map((known.data ?? []).map(({ id, state }) => [id, state]));
    const rank = (id) => ['operational', 'unknown', 'degraded'].indexOf(states.get(id) ?? 'unknown');
    return [...model.options]
      .filter(({ dataset }) => !isFree || dataset.free)
      .map(({ value }) => value)
      .filter((id) => id !== failed && rank(id) >= 0)
      .sort((a, b) => rank(a) - rank(b))
      .slice(0, 3);
  }
}
