// weir completion: what makes a shell complete commands, flags and what they take.
import { UsageError } from '../options.ts';
import { bashScript } from './completion/bash.ts';
import { commandsToComplete } from './completion/commands.ts';
import { fishScript } from './completion/fish.ts';
import { zshScript } from './completion/zsh.ts';
import { exitCodes } from './exit-codes.ts';
import type { Verb } from './verb.ts';

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

export const completion: Verb = {
  usage: 'bash|zsh|fish',
  words: { least: 1, most: 1 },
  options: [],
  details: `Prints a script for your shell, made from the commands and flags of this version. Load it at each start of the shell:
bash: source <(weir completion bash), in ~/.bashrc
zsh:  weir completion zsh > a file _weir in a folder of $fpath, or source <(weir completion zsh) behind compinit, in ~/.zshrc
fish: weir completion fish > ~/.config/fish/completions/weir.fish`,
  examples: ['source <(weir completion bash)', 'weir completion fish > ~/.config/fish/completions/weir.fish'],
  async run({ args: [shell = ''], io, verbs }) {
    const name = (Object.keys(scripts) as (keyof typeof scripts)[]).find((one) => one === shell);
    if (name === undefined)
      throw new UsageError(
        `there is no completion for ${JSON.stringify(shell)}: write one of ${Object.keys(scripts).join(', ')}`,
      );
    io.stdout.write(scripts[name](await commandsToComplete(verbs)));
    return exitCodes.fine;
  },
};
