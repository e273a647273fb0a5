// Which metrics and labels a PromQL expression names, by Prometheus's own grammar.
import { parser } from '@prometheus-io/lezer-promql';

export interface Selected {
  metric: string;
  labels: string[];
}

export interface Expression {
  selected: Selected[];
  /** Labels that it groups by. */
  grouping: string[];
}

/** Throws if it is no PromQL. `$name` stands for what a dashboard puts there. */
export function readPromql(text: string): Expression {
  const source = text.replaceAll('$__rate_interval', '5m');
  const selected: Selected[] = [];
  const grouping: string[] = [];
  parser.parse(source).iterate({
    enter(node) {
      const own = () => source.slice(node.from, node.to);
      if (node.type.isError) throw new Error(`no PromQL at ${node.from}: ${source}`);
      if (node.name === 'VectorSelector') selected.push({ metric: /^[\w:]*/.exec(own())?.[0] ?? '', labels: [] });
      if (node.name !== 'LabelName') return;
      const list = node.node.parent?.name === 'GroupingLabels' ? grouping : selected.at(-1)?.labels;
      list?.push(own());
    },
  });
  return { selected, grouping };
}
