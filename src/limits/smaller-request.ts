// Finds the changes that make a refused request affordable, and the call with these changes.

import { type SampledEndpoint, sampleCall } from '../faults/sample-call.ts';
import type { FaultAction } from '../faults/table.ts';
import type { Nano } from '../kit/money.ts';
import type { KeyLimits } from '../store/key-limits.ts';
import type { HoldRequest } from '../store/operations.ts';
import type { RefusedForMoney } from './money-fault.ts';

/** The parts of the request that decide how it could cost less. */
export interface RequestedCost extends SampledEndpoint {
  /** Its id in the catalog. */
  model: string;
  /** The client's field for the output limit; undefined if its format has none. */
  boundName: string | undefined;
  choices: number;
  /** 0 for other than image requests. */
  images: number;
  /** Other counted units, such as `12 characters`. */
  units: readonly string[];
  /** Output tokens reserved for thinking: lowering the output limit alone would leave no tokens for them. */
  thinkingBudget: number | undefined;
  /** The hold for the whole request. */
  hold: HoldRequest;
  /** The part of its base that is for calls of the upstream's tools; the rest is for input and images. */
  fees: Nano;
  /** The input tokens that are part of it: of the prompt, and what such tools may bring. */
  promptTokens: number;
  addedByTools: number;
  /** False if a shorter text would not hold less: a part of the prompt has an unknown size. */
  mayShorten: boolean;
  /** Whether the client set an output limit of its own. */
  isBounded: boolean;
  /** A free model that this key may use. */
  freeModel: string | undefined;
  /** The key and all keys above it, its parent first: only the last one has no parent. */
  keys: readonly { keyId: string; limits: KeyLimits }[];
}

export interface Smaller {
  /** In words. */
  remedy: string;
  /** The input tokens that are affordable, where not even the shortest answer is. */
  inputTokens?: number;
  action?: FaultAction;
}

/** A prompt with fewer tokens is hardly one: the names of its fields count, too. */
const MIN_PROMPT_TOKENS = 100;

/**
 * A short request may be counted as so many input tokens more when it is written with spaces between its JSON tokens, as
 * many clients do, or with the prompt of the sample.
 */
export const SAMPLE_MARGIN_TOKENS = 6;

/** The output tokens that the money pays for, however the same request is written. */
function affordableOutput({ available, affordableTokens }: RefusedForMoney, request: RequestedCost): number {
  const { base, unit } = request.hold;
  if (unit === 0n) return affordableTokens;
  const left = available - base - BigInt(SAMPLE_MARGIN_TOKENS) * inputPrice(request);
  return left > 0n ? Math.min(affordableTokens, Number(left / unit)) : 0;
}

/** Nano-NT$ per input token, rounded up. */
function inputPrice({ hold: { base }, fees, promptTokens, addedByTools }: RequestedCost): Nano {
  const all = BigInt(Math.max(1, promptTokens + addedByTools));
  return (base - fees + all - 1n) / all;
}

/** Undefined if no smaller request is affordable either. */
export function smallerRequest(refused: RefusedForMoney, request: RequestedCost): Smaller | undefined {
  const affordableTokens = affordableOutput(refused, request);
  const { boundName, images, thinkingBudget } = request;
  if (images > 0) return fewerImages(refused, request);
  if (boundName === undefined) return refused.available > 0n ? { remedy: 'send less input' } : undefined;
  if (affordableTokens === 0) return shorterPrompt(refused, request, boundName);
  if (thinkingBudget !== undefined) return undefined;
  return {
    remedy: `lower ${boundName} to ${affordableTokens}`,
    action: {
      ...sampleCall(request, { model: request.model, [boundName]: affordableTokens }),
      why: `with this ${boundName} the request is covered`,
    },
  };
}

function fewerImages({ needed, available }: RefusedForMoney, { images }: RequestedCost): Smaller | undefined {
  return images > 1 && available * BigInt(images) >= needed ? { remedy: 'lower n' } : undefined;
}

function shorterPrompt(refused: RefusedForMoney, request: RequestedCost, boundName: string): Smaller | undefined {
  const { hold, fees, promptTokens, addedByTools, mayShorten } = request;
  if (!mayShorten || promptTokens === 0) return undefined;
  const price = inputPrice(request);
  // Tools bring as much to a shorter prompt, or less.
  const left = refused.available - hold.unit * BigInt(hold.least) - fees - price * BigInt(addedByTools);
  const affordable = price > 0n && left > 0n ? Number(left / price) : 0;
  if (affordable < MIN_PROMPT_TOKENS) return undefined;
  const share = Math.max(1, Math.floor((100 * affordable) / promptTokens));
  return {
    remedy: `shorten the prompt to about ${share} % of its length (from at most ${promptTokens} tokens to ${affordable})`,
    inputTokens: affordable,
    action: {
      ...sampleCall(request, { model: request.model, [boundName]: hold.least }),
      why: `a prompt of at most ${affordable} tokens is covered with this ${boundName}`,
    },
  };
}
