// A figure as people type it: full-width as an input method leaves it, groups of three parted by commas. Any other comma may
// be meant as a decimal point, and nobody guesses about money: it stays, and is refused by whoever reads the figure.

export function plainNumber(text: string): string {
  const narrow = text.replace(/[０-９，．]/g, (char) => char.normalize('NFKC'));
  return /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(narrow) ? narrow.replaceAll(',', '') : narrow;
}
