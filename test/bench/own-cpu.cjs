// Loaded into a program before it starts: at its end it writes how much CPU the whole process took, in milliseconds.
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  require('node:fs').writeFileSync(process.env.OWN_CPU_FILE, String((user + system) / 1000));
});
