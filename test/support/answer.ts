/** Parsed JSON of an answer, on whose shape a test asserts as it reads it. */
export type Answer = Awaited<ReturnType<Response['json']>>;
