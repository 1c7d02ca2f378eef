// Completion for fish, with what each command and flag does beside it.
import {
  type CompletedCommand,
  type CompletedFlag,
  firstWords,
  groupsOf,
  type Values,
  valuedFlags,
} from './commands.ts';

/** The script that stands as `weir.fish` in the folder of completions. */
export function fishScript(commands: readonly CompletedCommand[]): string {
  const first = firstWords(commands).map(([word, says]) =>
    offered('test (count (commandline -opc)) -eq 1', word, says),
  );
  const second = [...groupsOf(commands)].flatMap(([word, below]) =>
    below.map(({ name, summary }) =>
      offered(`__weir_is ${word}; and test (count (commandline -opc)) -eq 2`, name.slice(word.length + 1), summary),
    ),
  );
  const rest = commands.flatMap(({ name, flags, words }) => [
    ...flags.map((flag) => flagLine(name, flag)),
    ...words.map((values, index) => wordLine(name, index, values)),
  ]);
  const taking = valuedFlags(commands)
    .filter(({ isOptional }) => !isOptional)
    .flatMap(({ name, short }) => [`--${name}`, ...(short === undefined ? [] : [`-${short}`])]);
  return `# fish completion of weir: weir completion fish > ~/.config/fish/completions/weir.fish
function __weir_is
    set -l typed (commandline -opc)
    test "$typed[2]" = "$argv[1]"; or return 1
    test (count $argv) -lt 2; or test "$typed[3]" = "$argv[2]"
end
# Whether so many words stand behind a command, flags and their values not counted.
function __weir_at
    set -l typed (commandline -opc)
    set -l count 0
    set -l skip no
    for word in $typed[(math $argv[1] + 2)..]
        if test $skip = yes
            set skip no
        else if contains -- $word ${taking.join(' ')}
            set skip yes
        else if not string match -q -- '-*' $word
            set count (math $count + 1)
        end
    end
    test $count -eq $argv[2]
end
complete -c weir -f
${[...first, ...second, ...rest].join('\n')}
`;
}

function offered(condition: string, word: string, says: string): string {
  return `complete -c weir -n ${quotedFor(condition)} -a ${word} -d ${quotedFor(says)}`;
}

function flagLine(command: string, { name, short, says, values, isOptional }: CompletedFlag): string {
  const letter = short === undefined ? '' : ` -s ${short}`;
  const value = values === undefined || isOptional ? '' : ` -r${actionOf(values)}`;
  return `complete -c weir -n ${quotedFor(`__weir_is ${command}`)} -l ${name}${letter}${value} -d ${quotedFor(says)}`;
}

function wordLine(command: string, index: number, values: Values): string {
  const condition = `__weir_is ${command}; and __weir_at ${command.split(' ').length} ${index}`;
  return values === 'anything' ? '' : `complete -c weir -n ${quotedFor(condition)}${actionOf(values)}`;
}

function actionOf(values: Values): string {
  if (values === 'files') return ' -F';
  if (values === 'folders') return ` -f -a '(__fish_complete_directories)'`;
  return values === 'anything' ? '' : ` -f -a ${quotedFor(values.words.join(' '))}`;
}

/** A text between single quotes, as fish reads it. */
function quotedFor(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
