// Removes confidential parts from an upstream's message: URLs, hosts, paths, ids and keys, anything that looks like one, and
// the upstream's own names.

const MAX_READ_CHARS = 2_000;
const MAX_MESSAGE_CHARS = 400;

/** In `hidden` no entry may be part of a later one. */
export function cleanText(text: string, hidden: readonly string[] = []): string {
  const shown = hidden.reduce((rest, secret) => rest.replaceAll(secret, '[hidden]'), firstWords(text));
  return REMOVED.reduce((rest, [what, word]) => rest.replace(what, word), shown).slice(0, MAX_MESSAGE_CHARS);
}

/**
 * Cuts the text to a length that patterns can handle, at the end of a word, because a part of a key does not match the
 * pattern of keys. Chinese has no spaces, but keys have no Chinese characters.
 */
function firstWords(text: string): string {
  if (text.length <= MAX_READ_CHARS) return text;
  return text.slice(0, MAX_READ_CHARS).replace(/[!-~]+$/, '');
}

const ENDINGS = 'com|net|org|io|ai|dev|cloud|azure|internal|local|lan|corp|svc|cluster|intranet|eu|cn|tw|uk|jp';
/** Top-level domains that are also ordinary field names. */
const WORD_ENDINGS = 'app|test|home|run|sh|co|de';
/** Words that a number may follow like a port follows a host. */
const COUNTED = [
  'line|column|position|offset|index|status|code|error|limit|tokens|length|size|count|max|min|got|expected|temperature',
  'requested|used|maximum|minimum|seed|budget|remaining|total',
].join('|');
/** Parts of request paths that no host name has. */
const SCHEMA_NAMES =
  'properties|parameters|definitions|defs|items|input_schema|json_schema|response_format|tool_choice|tool_calls';
/** Parts that a host name may have, too. */
const REQUEST_NAMES = 'messages|input|tools|contents?|system';
const PLACE_NAMES = `${SCHEMA_NAMES}|${REQUEST_NAMES}`;
/** First parts of the client's own paths: of the API and of request fields. */
const OWN_PATHS = String.raw`v\d\w*|chat|responses|${PLACE_NAMES}`;

/** Dotted names, except request paths, which contain one of `pathNames`. */
function hostPattern(endings: string, pathNames: string): RegExp {
  const start = String.raw`(?<![\w-]|\w\.|\b(?:${PLACE_NAMES})\[\d+\]\.)`;
  const isPlace = String.raw`(?:[\w-]+\.)*(?:${pathNames})(?![\w-])`;
  return new RegExp(String.raw`${start}(?!${isPlace})(?:[\w-]+\.)+(?:${endings})\b\S*`, 'gi');
}

/** Start of Google and Azure resource names, which have no leading slash or follow an API version. */
const RESOURCE_START = String.raw`(?:(?<![\w./$-])|(?<=\bv\d\w*\/))`;
const RESOURCE_KINDS = String.raw`projects|(?:organizations|folders|billingAccounts|subscriptions)(?=\/[\w-]*\d)`;
const RESOURCE = new RegExp(String.raw`${RESOURCE_START}(?:${RESOURCE_KINDS})(?:\/[\w.:@*-]+)+`, 'g');
/** IPv6 groups, full or around two colons; with a digit, unlike similar names in code. */
const GROUPS = '[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,6}';
const SIX = `(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}|(?:${GROUPS})?::(?:${GROUPS})?`;
const BARE_SIX = new RegExp(
  String.raw`(?<![\w:.])(?=[0-9a-f:]*\d)(?:${SIX})(?:(?:\.\d{1,3}){3})?(?:%\w+)?(?!\w|:\w)`,
  'gi',
);
/** Folder names may contain spaces, the last part may not. */
const WINDOWS_PATH = /(?<!\w)[a-z]:\\+(?:[^\\/:*?"'<>|\s]+(?: [^\\/:*?"'<>|\s]+)*\\+)*[^\\/:*?"'<>|\s,;)]*/gi;
const SHARED_PATH = /(?<![\w\\])\\\\[\w.-]+(?:\\[\w.$-]+)+/g;

/** Applied in order, each to the result of the previous one. */
const REMOVED: readonly (readonly [what: RegExp, word: string])[] = [
  [/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, '[link]'],
  [/\barn:[\w-]+:[^\s,;"')\]]+/gi, '[id]'],
  [RESOURCE, '[id]'],
  [WINDOWS_PATH, '[path]'],
  [SHARED_PATH, '[path]'],
  [/(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/g, '[id]'],
  [/\bBearer\s+(?!(?:tokens?|auth\w*)\b)(?=\S*\d|[^\s.,:;]{12})\S+/gi, '[id]'],
  [hostPattern(ENDINGS, String.raw`${SCHEMA_NAMES}|(?:${REQUEST_NAMES})\.\d+`), '[host]'],
  [hostPattern(WORD_ENDINGS, PLACE_NAMES), '[host]'],
  [/\[(?=[^\]]*::|(?:[^\]:]*:){7})[0-9a-f:.]+(?:%\w+)?\](?::\d+)?/gi, '[host]'],
  [BARE_SIX, '[host]'],
  [/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g, '[host]'],
  [new RegExp(String.raw`(?<![\w.-])(?!(?:${COUNTED}):)[a-z][a-z0-9.-]+:\d{2,5}(?!\.?\w)(?:\/\S*)?`, 'gi'), '[host]'],
  [/\blocalhost\b/gi, '[host]'],
  [new RegExp(String.raw`(?<![\w./\]])\/(?!(?:${OWN_PATHS})\b)[\w.-]+(?:\/[\w.-]+)+`, 'g'), '[path]'],
  [/(?<![\w.-])(?:\d{12}|\d{4}-\d{4}-\d{4})(?![\w-]|\.\d)/g, '[id]'],
  [/(?<=\b(?:acct|account|project)(?:[ _](?:id|number))?\W{1,3})\d{6,}\b/gi, '[id]'],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, '[id]'],
  [/\b(?:sk|pk|org|proj|req|acct|key|msg|chatcmpl|user|asst|file|cus)[-_][A-Za-z0-9_-]{4,}/g, '[id]'],
  [/\b[A-Za-z0-9_-]{24,}\b/g, '[id]'],
];
