// Fills in the numbers of the docs that the operator can change. In the files each number is the default, after a comment
// with its setting, such as `<!-- limits.free_per_minute -->6`, which no viewer shows. Pages of this server show the current
// number. In code blocks a number is found by the variable or field before it, because they cannot have such comments.

import { type Catalog, tokenBounds } from '../catalog/catalog.ts';
import { FREE_MODEL, type Guards, type Limits } from '../catalog/document.ts';
import { ntdNumber } from '../kit/money.ts';

const MARKED = /<!-- (limits|guards)\.([a-z_]+)(?: x (\d+))? -->[\d,.]*\d/g;
const UNLIMITED = '∞';

export function fillNumbers(markdown: string, catalog: Catalog): string {
  const { input, output } = freeBounds(catalog);
  return markdown
    .replace(MARKED, (_, group: string, name: string, factor = '1') => {
      const value = numberOf(catalog, group, name);
      return value === null ? UNLIMITED : (value * Number(factor)).toLocaleString('en-US');
    })
    .replace(/(?<=CLAUDE_CODE_MAX_CONTEXT_TOKENS=|model_context_window = |"context": )\d+/g, String(input))
    .replace(/(?<="output": )\d+/g, String(output));
}

/** Throws for a name that is no setting: a test renders every page. */
function numberOf(catalog: Catalog, group: string, name: string): number | null {
  const { limits, guards } = catalog;
  if (group === 'limits' && Object.hasOwn(limits, name)) return limits[name as keyof Limits];
  if (name === 'free_input_tokens') return freeBounds(catalog).input;
  if (name === 'free_output_tokens') return freeBounds(catalog).output;
  const guard = Object.hasOwn(guards, name) ? guards[name as keyof Guards] : undefined;
  if (guard === undefined) throw new Error(`the docs name a setting that does not exist: ${group}.${name}`);
  return typeof guard === 'bigint' ? ntdNumber(guard) : guard;
}

/** Without the guards, those of the free model itself. */
function freeBounds(catalog: Catalog): { input: number; output: number } {
  const { free_input_tokens: input, free_output_tokens: output } = catalog.guards;
  const free = catalog.find(FREE_MODEL);
  return free ? tokenBounds(free, catalog) : { input: input ?? 0, output: output ?? 0 };
}
