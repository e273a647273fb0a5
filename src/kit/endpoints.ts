// What an upstream can be asked for, by the names that channels, dialects and the catalog share.

export const ENDPOINTS = ['chat', 'responses', 'embeddings', 'images', 'messages', 'gemini'] as const;

export type Endpoint = (typeof ENDPOINTS)[number];
