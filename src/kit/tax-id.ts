// Taiwan's tax id of a business (統一編號): eight digits of which a weighted sum checks the others.

const WEIGHTS = [1, 2, 1, 2, 1, 2, 4, 1];

/** The sum of the digits of all products is a multiple of 5; with a seventh digit of 7, one more may be, too. */
export function isTaxId(text: string): boolean {
  if (!/^\d{8}$/.test(text)) return false;
  const sum = WEIGHTS.reduce((total, weight, index) => {
    const product = Number(text[index]) * weight;
    return total + Math.floor(product / 10) + (product % 10);
  }, 0);
  return sum % 5 === 0 || (text[6] === '7' && (sum + 1) % 5 === 0);
}
