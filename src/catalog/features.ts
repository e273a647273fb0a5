// Features of a model, stated by the operator. They are shown with the model and never decide whether a request is refused.

export const MODEL_FEATURES = ['tools', 'structured_output', 'reasoning', 'vision', 'pdf', 'audio'] as const;

export type ModelFeature = (typeof MODEL_FEATURES)[number];
