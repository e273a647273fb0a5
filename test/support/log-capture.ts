// The log lines of a gateway, kept for a test to look at.

export interface LogLine extends Record<string, unknown> {
  level: string;
  event: string;
}

export interface LogCapture {
  write(line: string): void;
  lines(): LogLine[];
  /** As it was written. */
  text(): string;
  alarms(name: string): LogLine[];
}

export function createLogCapture(): LogCapture {
  const written: string[] = [];
  const lines = () => written.map((line) => JSON.parse(line) as LogLine);
  return {
    write: (line) => void written.push(line),
    lines,
    text: () => written.join(''),
    alarms: (name) => lines().filter(({ level, event }) => level === 'alarm' && event === name),
  };
}
