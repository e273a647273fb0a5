// Names of members as a lenient upstream matches them. Go and .NET ignore case; protobuf and others take `maxTokens` for
// `max_tokens`.

/**
 * The same text for all spellings of a name. Unicode has letters that only one direction of case mapping unifies: the long
 * s (U+017F) becomes S in upper case, the Kelvin sign (U+212A) becomes k in lower case. So both are applied.
 */
export function foldName(name: string): string {
  return name.toUpperCase().toLowerCase().replace(SEPARATORS, '');
}

const SEPARATORS = /[_-]/g;
