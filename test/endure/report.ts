// A run as a table for people.
import type { Endured, FaultRow } from './endure.ts';
import type { Thirds } from './vitals.ts';

/** What came to pass; ends with the seed and the verdict. */
export function tableOf({ seed, minutes, rows, tally, edits, vitals, violations }: Endured): string {
  const lines = [
    '| fault | times | well again after, median | longest |',
    '|---|---:|---:|---:|',
    ...rows.map(lineOf),
    '',
    '| what | figure |',
    '|---|---:|',
    `| writes acknowledged | ${tally.acknowledged} |`,
    `| writes refused | ${tally.refused} |`,
    `| writes cut off by a fault; of them found | ${tally.cut}; ${tally.cutAndKept} |`,
    `| edits of the tree taken; refused | ${edits.taken}; ${edits.refused} |`,
    ...(vitals
      ? [
          `| one life of ${vitals.seconds.toFixed()} s: alive in memory, by thirds | ${shownMb(vitals.liveMb)} |`,
          `| resident memory once it is warm, by thirds | ${shownMb(vitals.residentMb)} |`,
          `| open handles, by thirds | ${vitals.handles.join(', ')} |`,
        ]
      : []),
    '',
    ...rows.filter(({ missing }) => missing).map(({ name, missing }) => `LEFT OUT: ${name}, because ${missing}`),
    ...shortened(violations).map((problem) => `VIOLATION: ${problem}`),
    `seed ${seed}, ${minutes.toFixed(1)} minutes: ${violations.length === 0 ? 'nothing acknowledged was lost, nothing refused was kept' : `${violations.length} violations`}`,
  ];
  return `${lines.join('\n')}\n`;
}

function shownMb(thirds: Thirds | undefined): string {
  return thirds ? `${thirds.map((mb) => mb.toFixed()).join(', ')} MB` : 'too short to tell';
}

function lineOf({ name, times, missing }: FaultRow): string {
  if (missing) return `| ${name} | left out | | |`;
  const sorted = times.toSorted((a, b) => a - b);
  const shown = (ms: number | undefined) => (ms === undefined ? '' : `${(ms / 1000).toFixed(2)} s`);
  return `| ${name} | ${times.length} | ${shown(sorted[sorted.length >> 1])} | ${shown(sorted.at(-1))} |`;
}

/** The first are enough to begin with. */
function shortened(violations: readonly string[]): readonly string[] {
  const most = 40;
  return violations.length <= most
    ? violations
    : [...violations.slice(0, most), `and ${violations.length - most} more`];
}
