declare module 'parse-prometheus-text-format' {
  export interface ParsedFamily {
    name: string;
    help: string;
    type: string;
    metrics: unknown[];
  }
  export default function parse(text: string): ParsedFamily[];
}
