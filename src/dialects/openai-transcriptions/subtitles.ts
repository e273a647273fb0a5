// Subtitles of the segments of a transcript.

import { type Json, objectsOf } from '../../kit/json/json.ts';

export function writeSrt(segments: Json | undefined): string {
  return linesOf(segments, ',')
    .map(({ times, text }, index) => `${index + 1}\n${times}\n${text}\n\n`)
    .join('');
}

export function writeVtt(segments: Json | undefined): string {
  return `WEBVTT\n\n${linesOf(segments, '.')
    .map(({ times, text }) => `${times}\n${text}\n\n`)
    .join('')}`;
}

function linesOf(segments: Json | undefined, point: ',' | '.') {
  return objectsOf(segments).map(({ start, end, text }) => ({
    times: `${timeOf(start, point)} --> ${timeOf(end, point)}`,
    // An arrow would end the text of a segment.
    text:
      typeof text === 'string'
        ? text
            .trim()
            .replaceAll('-->', '->')
            .replaceAll(/\n{2,}/g, '\n')
        : '',
  }));
}

const LONGEST_S = 359_999;

/** Such as 00:01:02,345. */
function timeOf(value: Json | undefined, point: string): string {
  const seconds = typeof value === 'number' && value > 0 ? Math.min(value, LONGEST_S) : 0;
  const ms = Math.round(seconds * 1_000);
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0');
  const [hours, minutes, rest] = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1_000) % 60];
  return `${two(hours)}:${two(minutes)}:${two(rest)}${point}${String(ms % 1_000).padStart(3, '0')}`;
}
