/** Parsed JSON of an answer, on whose shape a test asserts as it reads it. */
export type Answer = Awaited<ReturnType<Response['json']>>;

/** The code of a fault in any envelope: Google's has it as the reason of its first detail. Undefined if the call succeeded. */
export function faultCode({ error }: Answer): string | undefined {
  return error?.details?.[0]?.reason ?? error?.code;
}
