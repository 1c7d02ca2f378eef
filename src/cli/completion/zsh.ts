// Completion for zsh, with what each command and flag does beside it.
import { type CompletedCommand, type CompletedFlag, firstWords, groupsOf, quoted, type Values } from './commands.ts';

/** The script that stands as `_weir` in a folder of `$fpath`, or that `source` reads. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  const groups = groupsOf(commands);
  return `#compdef weir
# zsh completion of weir: weir completion zsh > a file _weir in a folder of $fpath
_weir() {
  local -a below
  if ((CURRENT == 2)); then
    below=(${firstWords(commands)
      .map(([word, says]) => described(word, says))
      .join(' ')})
    _describe command below
    return
  fi
  local command=$words[2] skip=1
  case $command in
${[...groups]
  .map(
    ([word, commandsBelow]) => `    ${word})
      if ((CURRENT == 3)); then
        below=(${commandsBelow.map(({ name, summary }) => described(name.slice(word.length + 1), summary)).join(' ')})
        _describe command below
        return
      fi
      command="$words[2] $words[3]" skip=2 ;;`,
  )
  .join('\n')}
  esac
  shift $skip words
  ((CURRENT -= skip))
  case $command in
${commands
  .map(
    ({ name, flags, words }) =>
      `    ${quoted(name)}) _arguments -S ${[...flags.flatMap(specsOf), ...words.map((values, index) => quoted(`${index + 1}::${actionOf(values)}`))].join(' ')} ;;`,
  )
  .join('\n')}
  esac
}
if [[ $funcstack[1] == _weir ]]; then
  _weir "$@"
else
  compdef _weir weir
fi
`;
}

function described(word: string, says: string): string {
  return quoted(`${word}:${says.replaceAll(':', '\\:')}`);
}

/** As _arguments(1) of zsh has them: `*--output=[prints …]:value:(human json)`. */
function specsOf({ name, short, says, values, isOptional }: CompletedFlag): readonly string[] {
  const text = says.replaceAll(/[[\]\\:]/g, '\\$&');
  const value = values === undefined ? '' : `${isOptional ? '::' : ':'}value:${actionOf(values).slice(1)}`;
  const long = `*--${name}${values === undefined ? '' : isOptional ? '=-' : '='}[${text}]${value}`;
  return [long, ...(short === undefined ? [] : [`*-${short}${values === undefined ? '' : '+'}[${text}]${value}`])].map(
    quoted,
  );
}

function actionOf(values: Values): string {
  if (values === 'files') return ':_files';
  if (values === 'folders') return ':_files -/';
  if (values === 'anything') return ': ';
  return values.open ? `:compadd -S "" -- ${values.words.join(' ')}` : `:(${values.words.join(' ')})`;
}
