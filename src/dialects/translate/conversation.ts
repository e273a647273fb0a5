// A request in no dialect, for writing it in another wire format. Each dialect reads its
// own requests into this and writes upstream requests from it. Nothing is lost in reading: what has no field here is kept
// as `other`, so that a writer that cannot carry it can name it.

import type { Json } from '../../kit/json/json.ts';

export interface Conversation {
  /** The system prompt. */
  system: TextPart[];
  turns: Turn[];
  tools: Tool[];
  toolChoice: ToolChoice | undefined;
  /** The client's name for it, if that is not `tool_choice`. */
  toolChoiceName?: string | undefined;
  /** False: at most one call at a time. Undefined: not set by the client. */
  parallelTools: boolean | undefined;
  /** The client's name for that setting; undefined: it set none, but its own format takes one call only. */
  parallelToolsName?: string | undefined;
  reasoning: RequestedReasoning | undefined;
  /** The client wants to see the model's reasoning, if there is any. */
  showsThoughts: boolean;
  format: OutputFormat | undefined;
  /** The client wants the repeated part of the prompt cached, without marking where it ends. */
  caching?: Caching | undefined;
  /** Settings of the client that change how, not what: each is carried or reported as dropped. */
  settings: Setting[];
}

export interface Turn {
  role: 'user' | 'assistant' | 'system';
  parts: Part[];
  /** Its place in the client's body, such as `messages[3]`. */
  at: string;
}

interface Placed {
  /** Its place in the client's body, such as `messages[3].content[0]`; for faults. */
  at: string;
  /** The client wants the prompt up to here to be cached. */
  cache?: CacheMark | undefined;
}

export interface CacheMark {
  ttl: '5m' | '1h';
}

export interface Caching {
  mark: CacheMark;
  /** Also if the client marked places itself. */
  besideOwn: boolean;
}

export interface TextPart extends Placed {
  type: 'text';
  text: string;
  /** The text has only this announcement, and is rewritten if the upstream has another name for the tool. */
  announces?: AnnouncedTool | undefined;
}

/** A tool that came or went in the middle of a conversation. */
export interface AnnouncedTool {
  name: string;
  isGone: boolean;
}

export type MediaSource = { kind: 'base64'; mediaType: string; data: string } | { kind: 'url'; url: string };

export interface ImagePart extends Placed {
  type: 'image';
  source: MediaSource;
  detail?: string | undefined;
}

export interface DocumentPart extends Placed {
  type: 'document';
  source: MediaSource | { kind: 'text'; text: string };
  title?: string | undefined;
}

export interface AudioPart extends Placed {
  type: 'audio';
  /** `wav` or `mp3`. */
  format: string;
  data: string;
}

export interface ToolCallPart extends Placed {
  type: 'tool_call';
  id: string;
  name: string;
  /** The unchanged JSON text; for a custom tool its free text. */
  arguments: string;
  isCustom: boolean;
  /** The signature that the model expects back with the call. */
  opaque?: Opaque | undefined;
}

export interface ToolResultPart extends Placed {
  type: 'tool_result';
  callId: string;
  content: (TextPart | ImagePart | DocumentPart | OtherPart)[];
  isError: boolean;
}

export interface ReasoningPart extends Placed {
  type: 'reasoning';
  text: string;
  /** A block whose text only its maker can read. */
  redacted?: string | undefined;
  /** Undefined: its model is unknown. */
  opaque?: Opaque | undefined;
  /** It followed content that the client's format does not keep there. */
  isMoved?: boolean | undefined;
}

/** A value that means something only to the model that made it. */
export interface Opaque {
  /** See `originOf`. */
  origin: string;
  value: string;
}

/** Content that only its own dialect knows. */
export interface OtherPart extends Placed {
  type: 'other';
  /** Its name in its dialect, such as `container_upload`. */
  kind: string;
}

export type Part =
  | TextPart
  | ImagePart
  | DocumentPart
  | AudioPart
  | ToolCallPart
  | ToolResultPart
  | ReasoningPart
  | OtherPart;

export interface Tool {
  /** Unique, as models shall call it. */
  name: string;
  description: string | undefined;
  /** A JSON schema; undefined if the client gave none. */
  schema: Json | undefined;
  strict: boolean | undefined;
  /** Takes free text instead of JSON. */
  isCustom: boolean;
  /** How the client knows it, where that differs from `name`. */
  shown?: { namespace: string; name: string } | undefined;
  cache?: CacheMark | undefined;
  at: string;
}

export type ToolChoice =
  | { mode: 'auto' | 'none' | 'any' /** Only these may be called. */; allowed?: readonly string[] | undefined }
  | { mode: 'tool'; name: string };

export interface RequestedReasoning {
  /** As the client calls it; what `x-svc-dropped` says. */
  name: string;
  isOff: boolean;
  /** `minimal` … `max`. */
  effort: string | undefined;
  budget: number | undefined;
}

export type OutputFormat =
  | {
      kind: 'json_schema';
      name: string | undefined;
      /** The purpose of the answer, beside the schema. */
      description?: string | undefined;
      schema: Json;
      strict: boolean | undefined;
    }
  | { kind: 'json_object' };

export type SettingKind =
  | 'temperature'
  | 'top_p'
  | 'top_k'
  | 'stop'
  | 'seed'
  | 'frequency_penalty'
  | 'presence_penalty'
  | 'logprobs'
  | 'top_logprobs'
  | 'choices'
  /** An id of the client's own user, sent only as a keyed hash. */
  | 'user'
  | 'verbosity'
  | 'service_tier'
  | 'prompt_cache_key'
  /** How the prompt is cached, beyond that key: read into `caching`. */
  | 'caching'
  | 'other';

export interface Setting {
  kind: SettingKind;
  /** As the client calls it; what `x-svc-dropped` says. */
  name: string;
  value: Json;
}
