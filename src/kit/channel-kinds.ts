// What a channel's upstream speaks, by the names that the catalog and the channels share.

export const CHANNEL_KINDS = ['openai', 'anthropic', 'gemini', 'demo'] as const;

export type ChannelKind = (typeof CHANNEL_KINDS)[number];
