// What a model can do, as its operator states it: shown with the model, and never a reason to refuse a request.

export const MODEL_FEATURES = ['tools', 'structured_output', 'reasoning', 'vision', 'pdf', 'audio'] as const;

export type ModelFeature = (typeof MODEL_FEATURES)[number];
