// What pages gain where scripts run: buttons that copy and print, lists that open where there is room, a card's code from the link, and one click that
// counts once. Everything else works without.

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

for (const button of document.querySelectorAll('[data-print]')) {
  button.hidden = false;
  button.addEventListener('click', () => print());
}

for (const list of document.querySelectorAll('details[data-open-wide]')) {
  list.open = matchMedia('(min-width: 48rem)').matches;
}

// A link to a place of a page that has become chapters leads on to the chapter.
const moved = [...document.querySelectorAll('.chapters [id]')].find(({ id }) => encodeURI(`#${id}`) === location.hash);
if (moved) location.replace(new URL(location.hash, moved.closest('li').querySelector('a').href));

// The link of a card has the code after the #, which no server receives. The code is kept while the visitor signs in or
// switches the language, and removed from the address once it is in its field. So is a code that was sent after the session
// had ended.
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

// A search narrows the list as it is typed; sent, it does so without a script, too.
for (const field of document.querySelectorAll('[data-filters]')) {
  field.addEventListener('input', () => {
    const words = field.value.normalize('NFKC').toLowerCase().split(/\s+/);
    const rows = [...document.querySelectorAll(`${field.dataset.filters} [data-text]`)];
    for (const row of rows) row.hidden = !words.every((word) => row.dataset.text.includes(word));
    document.querySelector('[data-no-match]').hidden = rows.some((row) => !row.hidden);
  });
}
