// What work costs, without what else the machine does at the same time.

/** The processor time that this thread spends on the work, in milliseconds: the least of several runs. */
export async function cpuTime(work: () => unknown, runs = 3): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run += 1) {
    const before = process.threadCpuUsage();
    await work();
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
