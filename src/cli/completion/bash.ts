// Completion for bash, also for the 3.2 of macOS: no bash-completion, no associative arrays.
import { type CompletedCommand, firstWords, groupsOf, quoted, type Values, valuedFlags } from './commands.ts';

/** The script that `source` reads. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  const groups = groupsOf(commands);
  return `# bash completion of weir: source <(weir completion bash)
_weir_words() {
  local IFS=$' \\t\\n'
  COMPREPLY=($(compgen -W "$1" -- "$cur"))
}
_weir_files() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen "$1" -- "$cur"))
}
_weir_open() {
  compopt -o nospace 2>/dev/null
  _weir_words "$1"
}
# Whether the next word is the value of a flag.
_weir_takes() {
  case $1 in
    ${patternOf(valuedFlags(commands).filter(({ isOptional }) => !isOptional))}) return 0 ;;
  esac
  return 1
}
_weir_value() {
  case $1 in
${valuedFlags(commands)
  .map((flag) => `    ${patternOf([flag])}) ${actionOf(flag.values ?? 'anything')} ;;`)
  .join('\n')}
  esac
}
_weir() {
  local cur=\${COMP_WORDS[COMP_CWORD]} flag=\${COMP_WORDS[COMP_CWORD-1]} first=\${COMP_WORDS[1]} command= count=0 i
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    _weir_words ${quoted([...firstWords(commands).map(([word]) => word), '--help', '--version'].join(' '))}
    return
  fi
  # bash takes --flag=value apart at the equals sign.
  if [[ $cur == = ]]; then
    cur=
  elif [[ $flag == = ]]; then
    flag=\${COMP_WORDS[COMP_CWORD-2]}
  elif ! _weir_takes "$flag"; then
    flag=
  fi
  if [[ $flag == -* ]]; then
    _weir_value "$flag"
    return
  fi
  command=$first i=2
  case $first in
${[...groups]
  .map(
    ([word, below]) =>
      `    ${word})
      if ((COMP_CWORD == 2)); then
        _weir_words ${quoted(below.map(({ name }) => name.slice(word.length + 1)).join(' '))}
        return
      fi
      command="$first \${COMP_WORDS[2]}" i=3 ;;`,
  )
  .join('\n')}
  esac
  for (( ; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      =) ((i++)) ;;
      -*) if _weir_takes "\${COMP_WORDS[i]}" && [[ \${COMP_WORDS[i+1]} != = ]]; then ((i++)); fi ;;
      *) ((count++)) ;;
    esac
  done
  if [[ $cur == -* ]]; then
    case $command in
${commands.map(({ name, flags }) => `      ${quoted(name)}) _weir_words ${quoted(flags.flatMap(typedFlags).join(' '))} ;;`).join('\n')}
    esac
    return
  fi
  case $command:$count in
${commands
  .flatMap(({ name, words }) =>
    words.map((values, index) => `    ${quoted(`${name}:${index}`)}) ${actionOf(values)} ;;`),
  )
  .join('\n')}
  esac
}
complete -F _weir weir
`;
}

function typedFlags({ name, short }: { readonly name: string; readonly short?: string }): readonly string[] {
  return [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];
}

function patternOf(flags: readonly { readonly name: string; readonly short?: string }[]): string {
  return flags.flatMap(typedFlags).join('|');
}

function actionOf(values: Values): string {
  if (values === 'files') return '_weir_files -f';
  if (values === 'folders') return '_weir_files -d';
  if (values === 'anything') return ':';
  return `${values.open ? '_weir_open' : '_weir_words'} ${quoted(values.words.join(' '))}`;
}
