// Keeps the start page of the console up to date: its changing part is asked for again while the page is seen. Beside the
// text of the configuration it numbers the lines that are typed.

const live = document.querySelector('[data-live]');
const EVERY_MS = 15_000;

if (live) {
  const words = JSON.parse(live.dataset.words);
  const stale = document.getElementById('stale');
  let timer;

  /** What has the focus, is selected or was opened stays so. */
  const show = (html) => {
    if (!getSelection().isCollapsed) return;
    const opened = [...live.querySelectorAll('details')].map((one) => one.open);
    const focused = live.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
    live.innerHTML = html;
    for (const [index, one] of live.querySelectorAll('details').entries()) one.open = opened[index] ?? false;
    if (focused !== null) {
      const links = [...live.querySelectorAll('a')];
      links.find((link) => link.getAttribute('href') === focused)?.focus({ preventScroll: true });
    }
    mark();
  };

  const mark = () => {
    live.querySelector('[data-live-mark]').hidden = false;
  };

  const say = (text) => {
    stale.querySelector('span').textContent = text;
    stale.hidden = text === '';
  };

  const refresh = async () => {
    clearTimeout(timer);
    try {
      const response = await fetch(live.dataset.live, { headers: { accept: 'text/html' } });
      if (response.status === 401) return say(words.signedOut);
      if (!response.ok) throw new Error(String(response.status));
      show((await response.text()).replace(/^<!doctype html>\s*/i, ''));
      say('');
    } catch {
      say(words.stale);
    }
    wait();
  };

  const wait = () => {
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(refresh, EVERY_MS);
  };

  document.addEventListener('visibilitychange', () => (document.hidden ? clearTimeout(timer) : refresh()));
  mark();
  wait();
}

for (const box of document.querySelectorAll('[data-numbered]')) {
  const [numbers, text] = [box.querySelector('pre'), box.querySelector('textarea')];
  const spare = text.rows - numbers.textContent.trimEnd().split('\n').length;
  text.addEventListener('input', () => {
    const lines = text.value.split('\n').length;
    if (lines === text.rows - spare) return;
    text.rows = lines + spare;
    numbers.textContent = Array.from({ length: lines }, (_, index) => `${index + 1}\n`).join('');
  });
}
