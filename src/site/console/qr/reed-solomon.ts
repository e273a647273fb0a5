// The error correction of QR codes: remainders of polynomials over GF(256) with the modulus 0x11d.

const MODULUS = 0x11d;

/** The codewords that follow the data of a block. */
export function correctionOf(data: readonly number[], count: number): number[] {
  const divisor = divisorOf(count);
  const rest = Array.from({ length: count }, () => 0);
  for (const codeword of data) {
    const factor = codeword ^ (rest.shift() ?? 0);
    rest.push(0);
    for (const [index, coefficient] of divisor.entries())
      rest[index] = (rest[index] ?? 0) ^ multiply(coefficient, factor);
  }
  return rest;
}

export function multiply(left: number, right: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >>> 7) * MODULUS);
    product ^= ((right >>> bit) & 1) * left;
  }
  return product;
}

/** (x − 1)(x − 2)(x − 4)…, without its first coefficient, which is 1. */
function divisorOf(degree: number): number[] {
  const result = Array.from({ length: degree }, (_, index): number => (index === degree - 1 ? 1 : 0));
  let root = 1;
  for (let step = 0; step < degree; step++) {
    for (let index = 0; index < degree; index++) {
      result[index] = multiply(result[index] ?? 0, root) ^ (result[index + 1] ?? 0);
    }
    root = multiply(root, 2);
  }
  return result;
}
