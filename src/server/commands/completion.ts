import { print } from '../terminal.ts'
import { type Arguments, type Command, requireNoWords, requireOneOf, throwMissingWords } from './command.ts'

const SHELLS = { bash, zsh, fish }
const SHELL_NAMES = ['bash', 'zsh', 'fish'] as const

/** Returns the command that prints a script with the completions of all commands. */
export function completionCommand(others: () => readonly Command[]): Command {
  return {
    name: 'completion',
    words: 'bash|zsh|fish',
    summary: 'Print a script that completes commands and flags in a shell',
    flags: [],
    example: 'completion bash',
    notes: [
      'bash: add  source <(fauxgate completion bash)  to ~/.bashrc.',
      'zsh: add  source <(fauxgate completion zsh)  to ~/.zshrc, after compinit.',
      'fish: fauxgate completion fish > ~/.config/fish/completions/fauxgate.fish',
    ],
    async run(parsed: Arguments): Promise<number> {
      const [shell, ...rest] = parsed.words
      if (shell === undefined) throwMissingWords('completion', 'bash, zsh, or fish', 'completion bash')
      const name = requireOneOf('The shell', shell, SHELL_NAMES)
      requireNoWords(rest, 'completion SHELL', parsed)
      return print(SHELLS[name](others()))
    },
  }
}

/**
 * Returns the cases of a shell's script. Each case sets a variable to the words and flags that can follow a command or its first
 * word.
 */
function shellCases(commands: readonly Command[], variable: string): string {
  const next = new Map<string, Set<string>>([['', new Set(['help'])]])
  const add = (line: string, words: readonly string[]) => next.set(line, new Set([...(next.get(line) ?? []), ...words]))
  for (const { name, words, flags } of commands) {
    const [first = '', second] = name.split(' ')
    add('', [first])
    add('help', [first])
    if (second !== undefined) add(first, [second])
    for (const { flag, value } of flags) {
      if (choicesIn(value).length > 0) add(`--${flag}`, choicesIn(value))
    }
    add(name, [...choicesIn(words), ...flags.map(({ flag }) => `--${flag}`), '--help'])
  }
  return [...next].map(([line, words]) => `    '${line}') ${variable}='${[...words].join(' ')}' ;;`).join('\n')
}

/** Returns the choices in a string such as `bash|zsh|fish`, or an empty list for any other string. */
function choicesIn(text: string): readonly string[] {
  return /^[\w-]+(?:\|[\w-]+)+$/.test(text) ? text.split('|') : []
}

/** After a flag, completes its value. Otherwise, completes after one known word or two, such as `clock advance`. */
function bash(commands: readonly Command[]): string {
  return `_fauxgate_words() {
  words=''
  case "$1" in
${shellCases(commands, 'words')}
  esac
}
_fauxgate() {
  local words before=("\${COMP_WORDS[@]:1:COMP_CWORD-1}")
  _fauxgate_words "\${COMP_WORDS[COMP_CWORD-1]}"
  [[ $words && \${COMP_WORDS[COMP_CWORD-1]} == --* ]] || _fauxgate_words "\${before[*]:0:2}"
  [ -n "$words" ] || _fauxgate_words "\${before[*]:0:1}"
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _fauxgate fauxgate
`
}

function zsh(commands: readonly Command[]): string {
  return `_fauxgate_words() {
  found=''
  case "$1" in
${shellCases(commands, 'found')}
  esac
}
_fauxgate() {
  local found before=("\${(@)words[2,CURRENT-1]}")
  _fauxgate_words "\${before[-1]}"
  [[ -n $found && \${before[-1]} == --* ]] || _fauxgate_words "\${(j: :)before[1,2]}"
  [[ -n $found ]] || _fauxgate_words "\${before[1]}"
  compadd -- \${(s: :)found} || _files
}
compdef _fauxgate fauxgate
`
}

function fish(commands: readonly Command[]): string {
  const lines = commands.flatMap(({ name, words, summary, flags }) => {
    const [first = '', second] = name.split(' ')
    const whole = summary.replaceAll("'", "\\'")
    const word =
      second === undefined
        ? `complete -c fauxgate -f -n __fish_use_subcommand -a ${first} -d '${whole}'`
        : `complete -c fauxgate -f -n '__fish_seen_subcommand_from ${first}' -a ${second} -d '${whole}'`
    const seen = name.split(' ').map((each) => `__fish_seen_subcommand_from ${each}`)
    const after = `complete -c fauxgate -n '${seen.join('; and ')}'`
    const choices = choicesIn(words).length > 0 ? [`${after} -f -a '${choicesIn(words).join(' ')}'`] : []
    const help = `complete -c fauxgate -f -n '__fish_seen_subcommand_from help' -a ${first}`
    const ofFlags = flags.map(({ flag, value }) => {
      const values = choicesIn(value).length > 0 ? ` -x -a '${choicesIn(value).join(' ')}'` : ''
      return `${after} -l ${flag}${values}`
    })
    return [word, help, ...choices, ...ofFlags]
  })
  return `${lines.join('\n')}\n`
}
