// Reads the totals of a test run from Bun's junit report.

/**
 * The report omits files that could not be loaded, so each expected file that is missing counts as one failure. A run that
 * exited with an error never counts as a success.
 */
export function readTotals({ xml, exitCode, expectedFiles }) {
  const { tests, failures, skipped } = readCounts(xml);
  const reportedFiles = new Set([...xml.matchAll(/<testsuite [^>]*\bfile="([^"]*)"/g)].map(([, file]) => file));
  const notLoaded = expectedFiles.filter((file) => !reportedFiles.has(file)).length;
  const failed = failures + notLoaded;
  return {
    passed: tests - failures - skipped,
    failed: tests > 0 && exitCode !== 0 && failed === 0 ? 1 : failed,
    skipped,
  };
}

function readCounts(xml) {
  const [head = ''] = xml.match(/<testsuites [^>]*>/) ?? [];
  const count = (name) => Number(head.match(new RegExp(`\\b${name}="(\\d+)"`))?.[1] ?? 0);
  return { tests: count('tests'), failures: count('failures'), skipped: count('skipped') };
}
