// A few instructions of WebAssembly by name, and the module around them: enough to write a short routine over bytes here
// instead of carrying a binary that nobody can read. Numbers are those of the specification.

/** Instructions as bytes; they stand in the order of a stack machine. */
export type Code = readonly (number | Code)[];

export interface Routine {
  name: string;
  /** All parameters, the result and the locals from the first on are i32. */
  params: number;
  /** Locals after the parameters: whole numbers first, then vectors of sixteen bytes. */
  numbers: number;
  vectors: number;
  code: Code;
}

const I32 = 0x7f;
const V128 = 0x7b;
const NOTHING = 0x40;
const VECTOR = 0xfd;

export const get = (local: number): Code => [0x20, local];
export const set = (local: number): Code => [0x21, local];
export const number = (value: number): Code => [0x41, signed(value)];
export const vectorOf = (bytes: readonly number[]): Code => [VECTOR, 0x0c, bytes];
export const sixteen = (byte: number): Code => vectorOf(Array.from({ length: 16 }, () => byte));

/** Leaves the block it stands in when `until` is not zero; otherwise begins anew after its code. */
export const loop = (until: Code, code: Code): Code => [
  [0x02, NOTHING],
  [0x03, NOTHING],
  until,
  [0x0d, 1],
  code,
  [0x0c, 0],
  END,
  END,
];
/** Runs if what stands on the stack is not zero. */
export const when = (code: Code): Code => [0x04, NOTHING, code, END];
const END: Code = [0x0b];
/** Ends the routine with what stands on the stack. */
export const RETURN: Code = [0x0f];
/** The first if the third is not zero, otherwise the second. */
export const CHOOSE: Code = [0x1b];

export const LOAD_BYTE: Code = [0x2d, 0, 0];
export const storeAt = (address: number, value: Code): Code => [number(address), value, 0x36, 2, 0];
export const LOAD_VECTOR: Code = [VECTOR, 0x00, 0, 0];

export const EQUAL: Code = [0x46];
export const NOT_EQUAL: Code = [0x47];
export const BELOW: Code = [0x49];
export const AT_LEAST: Code = [0x4f];
export const TRAILING_ZEROS: Code = [0x68];
export const COUNT_ONES: Code = [0x69];
export const ADD: Code = [0x6a];
export const SUBTRACT: Code = [0x6b];
export const AND: Code = [0x71];
export const OR: Code = [0x72];
export const SHIFT_UP: Code = [0x74];
export const SHIFT_DOWN: Code = [0x76];

export const BYTES_EQUAL: Code = [VECTOR, 0x23];
export const SIGNED_BYTES_BELOW: Code = [VECTOR, 0x25];
export const BYTES_AT_LEAST: Code = [VECTOR, 0x2c];
export const BYTES_ADD: Code = [VECTOR, 0x6e];
export const BYTES_LEAST: Code = [VECTOR, 0x77];
/** Bytes of the first, by the places that the second names. */
export const BYTES_PICK: Code = [VECTOR, 0x0e];
export const VECTOR_AND: Code = [VECTOR, 0x4e];
/** The first without the bits of the second. */
export const VECTOR_WITHOUT: Code = [VECTOR, 0x4f];
export const VECTOR_OR: Code = [VECTOR, 0x50];
/** Bits of the first where the third has ones, and of the second elsewhere. */
export const VECTOR_CHOOSE: Code = [VECTOR, 0x52];
/** One bit for each byte: its highest. */
export const BITS: Code = [VECTOR, 0x64];

/** A module that works on one memory, which it is given as `env.memory`. */
export function wasmModule(memoryPages: number, routines: readonly Routine[]): Uint8Array<ArrayBuffer> {
  const types = routines.map(({ params }) => [0x60, ...vector(Array.from({ length: params }, () => [I32])), 1, I32]);
  const memory = [...text('env'), ...text('memory'), 0x02, 0x00, ...unsigned(memoryPages)];
  const exported = routines.map(({ name }, index) => [...text(name), 0x00, ...unsigned(index)]);
  const bodies = routines.map(({ numbers, vectors, code }) => {
    const body = [2, ...unsigned(numbers), I32, ...unsigned(vectors), V128, ...flat(code), ...flat(END)];
    return [...unsigned(body.length), ...body];
  });
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, vector(types)),
    ...section(2, vector([memory])),
    ...section(3, vector(routines.map((_, index) => unsigned(index)))),
    ...section(7, vector(exported)),
    ...section(10, vector(bodies)),
  ]);
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsigned(content.length), ...content];
}

function vector(items: readonly (readonly number[])[]): number[] {
  return [...unsigned(items.length), ...items.flat()];
}

function text(value: string): number[] {
  const bytes = [...new TextEncoder().encode(value)];
  return [...unsigned(bytes.length), ...bytes];
}

function flat(code: Code): number[] {
  return code.flatMap((part) => (typeof part === 'number' ? [part] : flat(part)));
}

/** Seven bits a byte, the lowest first. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): number[] {
  const isLast = value >= -0x40 && value < 0x40;
  return isLast ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}
