// A picture that a model made, in words: no client's format of answers has a block for it, and so it is at least not lost.

export function pictureText(address: string): string {
  return `![image](${address})`;
}
