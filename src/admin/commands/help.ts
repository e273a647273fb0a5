// The help: all commands, those of a group, or one.

import { type Command, optionsOf } from './command.ts';

type Line = Pick<Command, 'words' | 'takes' | 'about'>;

const HELP_FLAGS = ['--help', '-h'];

/**
 * The topic of `help …` or `… --help`; undefined without either. `--help` as an option's value does not count: a script
 * must not mistake the help for success.
 */
export function helpTopic(args: readonly string[], commands: readonly Pick<Command, 'words' | 'takes'>[]) {
  const words = args.filter((word) => word !== '--json');
  const command = commands.find((one) => startsWith(words, one));
  const options = command ? optionsOf(command).options : [];
  const isValue = (index: number) => options.some((name) => words[index - 1] === `--${name}`);
  const isHelp = words[0] === 'help' || words.some((word, index) => HELP_FLAGS.includes(word) && !isValue(index));
  if (!isHelp) return undefined;
  return words.filter((word, index) => !HELP_FLAGS.includes(word) && !(index === 0 && word === 'help'));
}

function startsWith(words: readonly string[], { words: expected }: Pick<Command, 'words'>): boolean {
  return expected.split(' ').every((word, index) => word === words[index]);
}

export function createHelp(program: string, serve: Line, commands: readonly Line[]) {
  const lines = [serve, ...commands];
  const usageOf = ({ words, takes }: Line) => `usage: ${program} ${words}${takes ? ` ${takes}` : ''} [--json]`;
  const groupOf = (word: string | undefined) => lines.filter(({ words }) => words.split(' ')[0] === word);
  const all = () => `usage: ${program} COMMAND [--json]\n\n${list(lines)}\n`;
  return {
    all,
    /** Undefined if the words match no command or group. */
    about(words: readonly string[]): string | undefined {
      if (words.length === 0) return all();
      const command = words.length > 1 ? lines.find((line) => startsWith(words, line)) : undefined;
      const meant = command ? [command] : words.length === 1 ? groupOf(words[0]) : [];
      return meant.length === 0 ? undefined : `usage: ${program} COMMAND [--json]\n\n${list(meant)}\n`;
    },
    usageOf,
    /** For an unknown command: the commands of its group, or how to list all. */
    nearest([word]: readonly string[]): string {
      const group = groupOf(word);
      if (group.length === 0) return `usage: ${program} COMMAND [--json]; "${program} help" lists the commands`;
      return `usage: ${program} COMMAND [--json]\n\n${list(group)}`;
    },
  };
}

function list(lines: readonly Line[]): string {
  return lines.map(({ words, takes, about }) => `  ${words}${takes ? ` ${takes}` : ''}\n      ${about}`).join('\n');
}
