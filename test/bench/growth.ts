// A picture of how cost grows with size: one line for each thing that was measured at several sizes.
import type { Row } from './measure.ts';

const width = 860;
const height = 470;
/** Where the picture itself stands; to its right are the names of the lines. */
const plot = { left: 72, top: 46, right: 470, bottom: 420 } as const;
/** Colours that people tell apart who see few of them (Okabe and Ito), in light and in dark. */
const colours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9'] as const;
const dashes = ['none', '7 3', '2 3'] as const;

interface Line {
  readonly name: string;
  /** Size and cost, both as multiples of the smallest size. */
  readonly points: readonly (readonly [size: number, cost: number])[];
}

/** An SVG, by the rows that say on which line they stand. Cost and size are multiples of those at the smallest size, both axes logarithmic. */
export function drawGrowth(rows: readonly Row[]): string {
  const lines = linesOf(rows);
  const most = Math.max(10, ...lines.flatMap(({ points }) => points.map(([size]) => size)));
  const place = placing(Math.ceil(Math.log10(most) - 1e-9));
  const body = [
    ...axes(place),
    path(
      [
        [1, 1],
        [10 ** place.decades, 10 ** place.decades],
      ],
      place,
      'stroke="#888" stroke-dasharray="3 5"',
    ),
    text(plot.right - 4, plot.top + 14, 'as fast as the size', 'text-anchor="end" fill="#888"'),
    ...lines.flatMap((line, index) => drawn(line, index, place)),
  ];
  return `${opening}\n${body.join('\n')}\n</svg>\n`;
}

const opening = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" font-family="system-ui, sans-serif" font-size="12">
<title>How cost grows with size</title>
<rect width="${width}" height="${height}" fill="#fff"/>
<text x="${plot.left}" y="24" font-size="15" font-weight="600">How cost grows with size (flat is good)</text>`;

function linesOf(rows: readonly Row[]): Line[] {
  const names = [...new Set(rows.flatMap(({ growth }) => (growth ? [growth.of] : [])))];
  return names.flatMap((name) => {
    const points = rows
      .flatMap(({ growth, value, unit }) => (growth?.of === name ? [[growth.size, costOf(value, unit)] as const] : []))
      .sort(([a], [b]) => a - b);
    const [first] = points;
    if (!first || points.length < 2) return [];
    return [{ name, points: points.map(([size, cost]) => [size / first[0], cost / first[1]] as const) }];
  });
}

/** Of a rate the cost is what one takes. */
function costOf(value: number, unit: string): number {
  return unit === '/s' ? 1 / value : value;
}

interface Placing {
  readonly decades: number;
  x(size: number): number;
  y(cost: number): number;
}

/** From a tenth of the cost to as many decades as the sizes have. */
function placing(decades: number): Placing {
  const across = (plot.right - plot.left) / decades;
  const up = (plot.bottom - plot.top) / (decades + 1);
  const clamped = (cost: number) => Math.min(decades, Math.max(-1, Math.log10(cost)));
  return {
    decades,
    x: (size) => plot.left + Math.log10(size) * across,
    y: (cost) => plot.bottom - (clamped(cost) + 1) * up,
  };
}

function axes({ decades, x, y }: Placing): string[] {
  const marks: string[] = [];
  for (let power = -1; power <= decades; power += 1) {
    const at = y(10 ** power);
    marks.push(`<path d="M${plot.left} ${at}H${plot.right}" stroke="#ddd"/>`);
    marks.push(text(plot.left - 8, at + 4, `×${told(10 ** power)}`, 'text-anchor="end"'));
    if (power >= 0) marks.push(text(x(10 ** power), plot.bottom + 18, `×${told(10 ** power)}`, 'text-anchor="middle"'));
  }
  marks.push(text((plot.left + plot.right) / 2, plot.bottom + 38, 'size', 'text-anchor="middle" font-weight="600"'));
  marks.push(text(plot.left - 8, plot.top - 12, 'cost', 'text-anchor="end" font-weight="600"'));
  return marks;
}

function drawn({ name, points }: Line, index: number, place: Placing): string[] {
  const colour = colours[index % colours.length] ?? '#000';
  const dash = dashes[Math.floor(index / colours.length) % dashes.length] ?? 'none';
  const stroke = `stroke="${colour}" stroke-width="2" stroke-dasharray="${dash}"`;
  const row = plot.top + 6 + index * 20;
  const [size = 1, cost = 1] = points.at(-1) ?? [];
  return [
    path(points, place, stroke),
    ...points.map(([x, y]) => `<circle cx="${near(place.x(x))}" cy="${near(place.y(y))}" r="3" fill="${colour}"/>`),
    `<path d="M${plot.right + 20} ${row}h24" ${stroke}/>`,
    text(plot.right + 50, row + 4, `${name}: ×${told(cost)} at ×${told(size)}`, ''),
  ];
}

function path(points: Line['points'], { x, y }: Placing, stroke: string): string {
  const steps = points.map(([size, cost], index) => `${index === 0 ? 'M' : 'L'}${near(x(size))} ${near(y(cost))}`);
  return `<path d="${steps.join('')}" fill="none" ${stroke}/>`;
}

function text(x: number, y: number, words: string, attributes: string): string {
  const safe = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${near(x)}" y="${near(y)}" ${attributes}>${safe}</text>`;
}

function near(value: number): number {
  return Math.round(value * 10) / 10;
}

function told(value: number): string {
  return Number(value.toPrecision(2)).toLocaleString('en').replaceAll(',', ' ');
}
