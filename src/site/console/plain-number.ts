// A figure as people type it: groups of three may be parted by commas. Any other comma may be meant as a decimal point, and
// nobody guesses about money: it stays, and is refused by whoever reads the figure.

export function plainNumber(text: string): string {
  return /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(text) ? text.replaceAll(',', '') : text;
}
