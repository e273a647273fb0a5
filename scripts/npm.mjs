import { basename } from 'node:path';

/** The npm that started this script, if one did: there may be several. Other package managers set the same variable. */
export function npmCommand() {
  const npm = process.env.npm_execpath;
  const isNpm = npm !== undefined && /^npm(-cli)?\.c?js$/.test(basename(npm));
  return isNpm ? [process.execPath, npm] : ['npm'];
}
