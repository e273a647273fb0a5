// What the command line says of itself: all commands, those of a group, or one.

import type { Command } from './command.ts';

type Line = Pick<Command, 'words' | 'takes' | 'about'>;

export interface Help {
  all(): string;
  /** Undefined if the words are those of no command or group. */
  about(words: readonly string[]): string | undefined;
  usageOf(command: Line): string;
  /** For who typed what is no command: those of its group, or where to find all. */
  nearest(words: readonly string[]): string;
}

const ASKING = ['--help', '-h'];

/** What help is asked about, by `help …` or by `… --help`; undefined if it is not. What stands where an option has its value
 * asks for nothing: a script that gives one must not take the help for its work done. */
export function helpTopic(
  args: readonly string[],
  commands: readonly Pick<Command, 'words' | 'options'>[],
): readonly string[] | undefined {
  const words = args.filter((word) => word !== '--json');
  const options = commands.find((command) => startsWith(words, command))?.options ?? [];
  const isValue = (index: number) => options.some((name) => words[index - 1] === `--${name}`);
  const isAsked = words[0] === 'help' || words.some((word, index) => ASKING.includes(word) && !isValue(index));
  if (!isAsked) return undefined;
  return words.filter((word, index) => !ASKING.includes(word) && !(index === 0 && word === 'help'));
}

function startsWith(words: readonly string[], { words: own }: Pick<Command, 'words'>): boolean {
  return own.split(' ').every((word, index) => word === words[index]);
}

export function createHelp(program: string, serve: Line, commands: readonly Line[]): Help {
  const lines = [serve, ...commands];
  const usageOf = ({ words, takes }: Line) => `usage: ${program} ${words}${takes ? ` ${takes}` : ''} [--json]`;
  const groupOf = (word: string | undefined) => lines.filter(({ words }) => words.split(' ')[0] === word);
  return {
    all: () => `usage: ${program} COMMAND [--json]\n\n${list(lines)}\n`,
    about(words) {
      if (words.length === 0) return this.all();
      const one = words.length > 1 ? lines.find((line) => startsWith(words, line)) : undefined;
      const meant = one ? [one] : words.length === 1 ? groupOf(words[0]) : [];
      return meant.length === 0 ? undefined : `usage: ${program} COMMAND [--json]\n\n${list(meant)}\n`;
    },
    usageOf,
    nearest([word]) {
      const group = groupOf(word);
      if (group.length === 0) return `usage: ${program} COMMAND [--json]; "${program} help" lists the commands`;
      return `usage: ${program} COMMAND [--json]\n\n${list(group)}`;
    },
  };
}

function list(lines: readonly Line[]): string {
  return lines.map(({ words, takes, about }) => `  ${words}${takes ? ` ${takes}` : ''}\n      ${about}`).join('\n');
}
