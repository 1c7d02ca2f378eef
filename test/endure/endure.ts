// One run: a load, faults while it goes on, and an oracle that knows what must have outlived them.
import { setTimeout as sleep } from 'node:timers/promises';
import { diceOf } from './dice.ts';
import type { Fault, Stage } from './faults/fault.ts';
import { lookAround, stopInOrder } from './faults/fault.ts';
import { lookAtStore } from './last-look.ts';
import { type Load, startLoad } from './load.ts';
import { createOracle, type Tally } from './oracle.ts';
import type { Scene } from './scene.ts';
import { verify } from './verify.ts';
import { growth, type Vitals, watchVitals } from './vitals.ts';
import { createWorld, patienceMs } from './world.ts';

/** What a run is made of. The same seed makes the same choices; when they meet the load is up to the machine. */
export interface EndureOptions {
  readonly seed: string;
  readonly faults: readonly Fault[];
  /** How long it goes on; absent: until each fault came once. */
  readonly minutes?: number;
  /** Told how it goes on, a line at a time. */
  readonly tell?: (line: string) => void;
}

/** What one kind of fault came to: how often, and milliseconds until all was well again. */
export interface FaultRow {
  readonly name: string;
  readonly times: number[];
  readonly missing?: string;
}

export interface Endured {
  readonly seed: string;
  readonly minutes: number;
  readonly rows: readonly FaultRow[];
  readonly tally: Tally;
  readonly edits: { readonly taken: number; readonly refused: number };
  readonly vitals: Vitals | undefined;
  readonly violations: readonly string[];
}

/** The share of a run that is one long life, without a restart. */
const longLife = 0.4;

export async function endure({ seed, faults, minutes, tell = () => {} }: EndureOptions): Promise<Endured> {
  const begun = performance.now();
  const lengthMs = (minutes ?? 0) * 60_000;
  const world = await createWorld(lengthMs + 30 * patienceMs);
  const tables = await Promise.all(faults.map(rowOf));
  const scene: Scene = {
    world,
    oracle: createOracle(),
    tokens: new Map(),
    revoked: [],
    sessions: new Map(),
    closed: [],
  };
  let load: Load | undefined;
  let vitals: Vitals | undefined;
  try {
    await world.start();
    load = await startLoad(scene, seed);
    const stage = { ...scene, load, dice: diceOf(`${seed} faults`), note: tell };
    const course = { stage, tables, faults: faults.filter((_, index) => !tables[index]?.missing), tell };
    if (minutes === undefined) await eachOnce(course);
    else {
      await until(course, begun + lengthMs * 0.25, () => true);
      vitals = await liveLong(course, performance.now() + lengthMs * longLife);
      await until(course, begun + lengthMs, () => true);
    }
    await finish(stage);
  } catch (error) {
    world.blame(`the run ended early: ${error instanceof Error ? error.stack : error}`);
    tell(world.life().command.output().stderr.slice(-2_000));
  } finally {
    await load?.pause();
    await world.end('SIGKILL');
    await world.remove();
  }
  return {
    seed,
    minutes: (performance.now() - begun) / 60_000,
    rows: tables,
    tally: scene.oracle.tally,
    edits: load?.editor.edits ?? { taken: 0, refused: 0 },
    vitals,
    violations: world.violations,
  };
}

interface Course {
  readonly stage: Stage;
  readonly tables: readonly FaultRow[];
  readonly faults: readonly Fault[];
  readonly tell: (line: string) => void;
}

async function rowOf({ name, missing }: Fault): Promise<FaultRow> {
  const why = await missing?.();
  return { name, times: [], ...(why === undefined ? {} : { missing: why }) };
}

async function eachOnce(course: Course): Promise<void> {
  for (const fault of course.stage.dice.shuffled(course.faults)) await meet(course, fault, 60);
}

/** Fault after fault, each once before any comes again, until a time. */
async function until(course: Course, end: number, fits: (fault: Fault) => boolean): Promise<void> {
  const { stage, faults, tables } = course;
  const timesOf = ({ name }: Fault) => tables.find((row) => row.name === name)?.times.length ?? 0;
  while (performance.now() < end) {
    const fitting = faults.filter(fits);
    const least = Math.min(...fitting.map(timesOf));
    await meet(course, stage.dice.of(fitting.filter((fault) => timesOf(fault) === least)));
  }
}

/** A life in which only such things happen as a server lives through, with time in between; it must end as it began. */
async function liveLong(course: Course, end: number): Promise<Vitals | undefined> {
  const { stage, tell } = course;
  const life = stage.world.life();
  const monitor = watchVitals(life);
  tell('a long life');
  while (performance.now() < end) {
    await sleep(Math.min(15_000, Math.max(0, end - performance.now())));
    const gentle = course.faults.filter(({ isGentle }) => isGentle);
    if (gentle.length > 0) await meet(course, stage.dice.of(gentle));
    await lookAround(stage, 'in a long life');
  }
  const vitals = await monitor.stop();
  if (life.hasEnded()) stage.world.blame('the server ended by itself');
  for (const problem of vitals ? growth(vitals) : []) stage.world.blame(`in a long life ${problem}`);
  return vitals;
}

/** Lets some writes be acknowledged, up to `most` and 20, then does the fault. */
async function meet({ stage, tables, tell }: Course, fault: Fault, most = 200): Promise<void> {
  const { world, oracle, dice } = stage;
  const wanted = oracle.tally.acknowledged + 20 + dice.below(most);
  for (const begun = performance.now(); oracle.tally.acknowledged < wanted; await sleep(20)) {
    if (performance.now() - begun < patienceMs) continue;
    world.blame(`no writes were acknowledged before ${fault.name}`);
    break;
  }
  const before = world.violations.length;
  const took = await fault.inject(stage);
  tables.find(({ name }) => name === fault.name)?.times.push(took);
  const wrong = world.violations.slice(before);
  tell(`${wrong.length > 0 ? 'WRONG' : 'fine '} ${fault.name}: well after ${Math.round(took)} ms`);
  for (const problem of wrong) tell(`      ${problem}`);
}

async function finish(stage: Stage): Promise<void> {
  await stage.load.pause();
  await stage.load.editor.mend();
  await verify(stage, 'at the end');
  await stopInOrder(stage, 'at the end');
  await lookAtStore(stage.world);
}
