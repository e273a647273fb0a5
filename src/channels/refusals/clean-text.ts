// What an upstream says, without what a client must not learn from it: URLs, hosts, paths, ids and keys are removed, what
// looks like one, and the upstream's own.

const MAX_READ_CHARS = 2_000;
const MAX_MESSAGE_CHARS = 400;

/** `hidden` must be ordered so that none hides a part of a later one. */
export function cleanText(text: string, hidden: readonly string[] = []): string {
  const shown = hidden.reduce((rest, secret) => rest.replaceAll(secret, '[hidden]'), firstWords(text));
  return REMOVED.reduce((rest, [what, word]) => rest.replace(what, word), shown).slice(0, MAX_MESSAGE_CHARS);
}

/**
 * Long enough for what may be shown, short enough for patterns; no word is cut, because half a key looks like none.
 * Chinese has no spaces, and no key has its letters.
 */
function firstWords(text: string): string {
  if (text.length <= MAX_READ_CHARS) return text;
  return text.slice(0, MAX_READ_CHARS).replace(/[!-~]+$/, '');
}

const ENDINGS = 'com|net|org|io|ai|dev|cloud|azure|internal|local|lan|corp|svc|cluster|intranet|eu|cn|tw|uk|jp';
/** These are ordinary names of fields, too. */
const WORD_ENDINGS = 'app|test|home|run|sh|co|de';
/** What a number may follow as it follows the name of a host. */
const COUNTED = [
  'line|column|position|offset|index|status|code|error|limit|tokens|length|size|count|max|min|got|expected|temperature',
  'requested|used|maximum|minimum|seed|budget|remaining|total',
].join('|');
/** Names in the places of a request that no host has. */
const SCHEMA_NAMES =
  'properties|parameters|definitions|defs|items|input_schema|json_schema|response_format|tool_choice|tool_calls';
/** Those that one may have. */
const REQUEST_NAMES = 'messages|input|tools|contents?|system';
const PLACE_NAMES = `${SCHEMA_NAMES}|${REQUEST_NAMES}`;
/** Beginnings of paths that are the client's own: of the API, and of a place in a request. */
const OWN_PATHS = String.raw`v\d\w*|chat|responses|${PLACE_NAMES}`;

/** Names with dots, from the first of them on: but for a place in a request, which has one of `own`. */
function hostPattern(endings: string, own: string): RegExp {
  const start = String.raw`(?<![\w-]|\w\.|\b(?:${PLACE_NAMES})\[\d+\]\.)`;
  const isPlace = String.raw`(?:[\w-]+\.)*(?:${own})(?![\w-])`;
  return new RegExp(String.raw`${start}(?!${isPlace})(?:[\w-]+\.)+(?:${endings})\b\S*`, 'gi');
}

/** Names of Google and Azure that begin with no slash, or stand below the version of an API. */
const RESOURCE_START = String.raw`(?:(?<![\w./$-])|(?<=\bv\d\w*\/))`;
const RESOURCE_KINDS = String.raw`projects|(?:organizations|folders|billingAccounts|subscriptions)(?=\/[\w-]*\d)`;
const RESOURCE = new RegExp(String.raw`${RESOURCE_START}(?:${RESOURCE_KINDS})(?:\/[\w.:@*-]+)+`, 'g');
/** An address of eight groups, or of fewer around two colons; it has a digit, where names in code that read alike do not. */
const GROUPS = '[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,6}';
const SIX = `(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}|(?:${GROUPS})?::(?:${GROUPS})?`;
const BARE_SIX = new RegExp(
  String.raw`(?<![\w:.])(?=[0-9a-f:]*\d)(?:${SIX})(?:(?:\.\d{1,3}){3})?(?:%\w+)?(?!\w|:\w)`,
  'gi',
);
/** A folder may have spaces in its name, what stands last may not. */
const WINDOWS_PATH = /(?<!\w)[a-z]:\\+(?:[^\\/:*?"'<>|\s]+(?: [^\\/:*?"'<>|\s]+)*\\+)*[^\\/:*?"'<>|\s,;)]*/gi;
const SHARED_PATH = /(?<![\w\\])\\\\[\w.-]+(?:\\[\w.$-]+)+/g;

/** Later ones see what earlier ones left. */
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
