// Finds the item of a response that an event belongs to. By the specification each item has an id and an `output_index`, which
// is its place in the final response. Upstreams omit the index, give all items index 0, count items that the final response
// omits, give calls only a `call_id`, or send a new id with every event. Text that may belong to several calls is ignored: the
// closing event of each call repeats it.

import { isObject, type Json, type JsonObject } from '../../../kit/json/json.ts';
import { TEXTS } from '../text-kinds.ts';

/** A place of an item. */
class Known {
  callId: string | undefined;
  /** Its first event. */
  index: number | undefined;
  /** Its closing event has arrived. */
  isEnded = false;
  /** Its `added` event arrived: then every item has one. */
  isAdded = false;
  /** A later event had its id, so that the upstream does not make up a new id for each event. */
  isNamedAgain = false;
  /** Text that may belong to it was ignored. */
  isLacking = false;

  /** `at`: from 0, in order of appearance. `likeness`: matches items without a known id. */
  constructor(
    readonly at: number,
    readonly kind: string,
    public likeness: string,
  ) {}
}

/** How an event names its item. */
interface Subject {
  kind: string;
  ids: string[];
  callId: string | undefined;
  index: number | undefined;
  /** It repeats text: it may come after the end of its item. */
  isLate: boolean;
  item: JsonObject | undefined;
}

const ADDED = 'response.output_item.added';
const DONE = 'response.output_item.done';
/** The text of a call is one JSON text or one input, so texts of several calls must not be mixed. */
const CALLS: ReadonlySet<string> = new Set(['function_call', 'custom_tool_call']);
const UNCLEAR = 'unclear';

export function createItemPlaces() {
  const places: Known[] = [];
  /** The newest place of each name. */
  const byName = new Map<string, Known>();

  const named = (names: readonly string[], isIt: (known: Known) => boolean) =>
    names.map((name) => byName.get(name)).find((known) => known !== undefined && isIt(known));

  /** The only open call to which the event may belong. */
  function findCall({ kind, index }: Subject, mayBe: (known: Known) => boolean): Known | typeof UNCLEAR | undefined {
    const open = places.filter((known) => known.kind === kind && mayBe(known));
    const placed = index === undefined ? open : open.filter((known) => known.index === index);
    const meant = placed.length > 0 ? placed : open.filter((known) => known.index === undefined);
    if (meant.length < 2) return meant[0];
    for (const known of meant) known.isLacking = true;
    return UNCLEAR;
  }

  function findKnown(subject: Subject, isBeginning: boolean): Known | typeof UNCLEAR | undefined {
    const { kind, ids, callId, index, isLate } = subject;
    const isOpen = (known: Known) => !known.isEnded && !isAnother(known, callId);
    const isUnnamed = (known: Known) => isOpen(known) && (known.isAdded || !known.isNamedAgain || ids.length === 0);
    // By its first id alone: a call with the `call_id` of another is another.
    if (isBeginning) return named(idsAt({ ...subject, ids: ids.slice(0, 1) }, index), isOpen);
    const byId = named([...idsAt(subject, index), ...idsAt(subject)], (known) => !isAnother(known, callId));
    if (byId) {
      byId.isNamedAgain = true;
      return byId;
    }
    const mayBe = index === undefined ? isUnnamed : isOpen;
    // The only one that is open; or, unless they are calls, the newest of them.
    const names = index === undefined ? [kind] : [placeAt(kind, index), placeAt(kind)];
    const open = CALLS.has(kind) ? findCall(subject, mayBe) : named(names, mayBe);
    return open ?? (isLate && index !== undefined ? byName.get(placeAt(kind, index)) : undefined);
  }

  function learn(known: Known, subject: Subject): void {
    const { kind, callId, index, item } = subject;
    known.callId ??= callId;
    known.index ??= index;
    if (item) known.likeness = likenessOf(item);
    const names = [...idsAt(subject, index), ...idsAt(subject), placeAt(kind, index), kind];
    for (const name of names) byName.set(name, known);
  }

  function begin(kind: string, likeness: string): Known {
    const known = new Known(places.length, kind, likeness);
    places.push(known);
    return known;
  }

  function end(known: Known, item: JsonObject | undefined): void {
    known.isEnded = true;
    known.isLacking &&= !item || !saysAll(item);
  }

  /** The last event, unless it had a whole item or part, and its place. */
  let last: { event: JsonObject; known: Known } | undefined;

  /** Most events continue the text of the last one and name the same item: no search is needed. */
  function findAgain({ type, item_id: id, output_index: index }: JsonObject): Known | undefined {
    if (!last) return undefined;
    const { event, known } = last;
    if (event.type !== type || event.item_id !== id || event.output_index !== index) return undefined;
    known.isNamedAgain ||= typeof id === 'string' && id !== '';
    return known;
  }

  return {
    /** Undefined for an event without text of an item, or with text that may belong to several calls. */
    find(event: JsonObject): Readonly<Known> | undefined {
      const again = findAgain(event);
      if (again) return again;
      const subject = subjectOf(event);
      last = undefined;
      if (!subject) return undefined;
      const isBeginning = event.type === ADDED;
      const found = findKnown(subject, isBeginning);
      if (found === UNCLEAR) return undefined;
      // The missing text comes before this text.
      if (found?.isLacking && !subject.item && !subject.isLate) return undefined;
      const known = found ?? begin(subject.kind, subject.kind);
      if (!found || subject.item) learn(known, subject);
      known.isAdded ||= isBeginning;
      if (event.type === DONE) end(known, subject.item);
      if (!subject.item && event.part === undefined) last = { event, known };
      return known;
    },
    /** The places of the items of the final response. An item without events gets a new place. */
    findAll(items: readonly JsonObject[]): Readonly<Known>[] {
      const taken = new Set<Known>();
      const takeById = (item: JsonObject) => {
        const subject = ofItem(item, undefined);
        const known = named(idsAt(subject), (one) => !taken.has(one) && !isAnother(one, subject.callId));
        if (known) taken.add(known);
        return known;
      };
      // From the last on: a name that several items have is the newest one's.
      const byId = items.toReversed().map(takeById).reverse();
      // Reversed, so that `pop` takes the first of each kind.
      const rest = Map.groupBy(places.filter((known) => !taken.has(known)).reverse(), ({ likeness }) => likeness);
      return items.map((item, position) => {
        const likeness = likenessOf(item);
        const alike = rest.get(likeness);
        const first = alike?.at(-1);
        const isNew = !first || isAnother(first, ofItem(item, undefined).callId);
        const known = byId[position] ?? (isNew ? undefined : alike?.pop()) ?? begin(String(item.type), likeness);
        known.isLacking &&= !saysAll(item);
        return known;
      });
    },
    /** A call may lack text that was ignored and that its closing event did not repeat. */
    lacksWords: () => places.some(({ isLacking }) => isLacking),
  };
}

/** The types of items by the names of their events. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ...Array.from(TEXTS, ([event, { item }]) => [event, item] as const),
  ['content_part', 'message'],
  ['reasoning_summary_part', 'reasoning'],
]);

function subjectOf(event: JsonObject): Subject | undefined {
  const { type, item, item_id: id, output_index: given, part } = event;
  const index = typeof given === 'number' ? given : undefined;
  if (type === ADDED || type === DONE) return isObject(item) ? ofItem(item, index) : undefined;
  const [, name = ''] = String(type).split('.');
  const isThought = isObject(part) && part.type === 'reasoning_text';
  const kind = isThought ? 'reasoning' : KINDS.get(name);
  if (kind === undefined) return undefined;
  const isLate = String(type).endsWith('.done');
  return { kind, ids: textsOf(id), callId: undefined, index, isLate, item: undefined };
}

function ofItem(item: JsonObject, index: number | undefined): Subject {
  const { type, id, call_id: given } = item;
  const [callId] = textsOf(given);
  return { kind: String(type), ids: [...textsOf(id), ...textsOf(given)], callId, index, isLate: false, item };
}

function textsOf(id: Json | undefined): string[] {
  return typeof id === 'string' && id !== '' ? [id] : [];
}

/** An item has one `call_id`, whatever its other ids are. */
function isAnother({ callId }: Known, other: string | undefined): boolean {
  return callId !== undefined && other !== undefined && callId !== other;
}

function saysAll({ arguments: json, input }: JsonObject): boolean {
  return typeof (json ?? input) === 'string';
}

function likenessOf({ type, name }: JsonObject): string {
  return typeof name === 'string' ? `${type} ${name}` : String(type);
}

function idsAt({ kind, ids }: Subject, index?: number): string[] {
  return ids.map((id) => `${kind}/${index ?? ''}/${id}`);
}

function placeAt(kind: string, index?: number): string {
  return `${kind}@${index ?? ''}`;
}
