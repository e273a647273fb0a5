// Decides which names of a client's JSON may be repeated to it. Names of API fields are; anything else that stands as a name may
// be content.

export function fieldName(member: string | undefined): string | undefined {
  return member !== undefined && /^[a-z_]{1,40}$/.test(member) ? member : undefined;
}
