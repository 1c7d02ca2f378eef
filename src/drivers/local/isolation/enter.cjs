// The first program inside of an isolated start: gives up the user that it has, and becomes the program. Its orders come once, on descriptor 3.
'use strict';
const { closeSync, readFileSync } = require('node:fs');

// Until here nothing of the instance's own environment may act: a library that it names would run as the user that is given up.
const { user, cwd, command, args, env } = JSON.parse(readFileSync(3, 'utf8'));
closeSync(3);
if (user !== undefined) {
  process.setgroups([]);
  process.setgid(user);
  process.setuid(user);
}
process.umask(0o077);
process.chdir(cwd);
process.execve(command, [command, ...args], env);
