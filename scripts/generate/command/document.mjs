// The parts of docs/command.md and docs/options.md that follow from the tables of options and commands.

/** Returns docs/command.md with its tables brought up to date. */
export function commandDocument(text, { options, sandboxOptions, commands }) {
  const parts = {
    options: optionsTable(options),
    sandbox: sandboxTable(sandboxOptions),
    commands: commandsTable(commands),
  }
  return Object.entries(parts).reduce((written, [name, part]) => withPart(written, name, part), text)
}

/** Returns docs/options.md with its table brought up to date. */
export function optionsDocument(text, { options, gatewayOptions }) {
  const rows = gatewayOptions.flatMap(({ path, sentence }) => [
    `| \`${path}\` | ${cell(sentence)} |`,
    ...options
      .filter((option) => option.path.startsWith(`${path}.`))
      .map((option) => `| \`${option.path}\` | ${cell(option.sentence)} |`),
  ])
  return withPart(text, 'options', ['| option | |', '|---|---|', ...rows, ''].join('\n'))
}

function withPart(text, name, part) {
  const [begin, end] = [`<!-- ${name}: npm run generate -->\n`, `<!-- end of ${name} -->`]
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from === -1 || to === -1) throw new Error(`The document has no place for ${name}.`)
  return `${text.slice(0, from + begin.length)}\n${part}\n${text.slice(to)}`
}

const cell = (text) => text.replaceAll('|', '\\|')

function shown({ flag, value, kind }) {
  return `\`${cell(`--${flag}${value && ` ${value}`}${kind === 'texts' ? ' …' : ''}`)}\``
}

function sandboxTable(options) {
  const rows = options.map((option) => `| ${shown(option)} | \`${option.variable}\` | ${cell(option.sentence)} |`)
  return ['| flag | variable | |', '|---|---|---|', ...rows, ''].join('\n')
}

function optionsTable(options) {
  const rows = options.map((option) => `| ${shown(option)} | \`${option.path}\` | ${cell(option.sentence)} |`)
  return ['| flag | in a config file | |', '|---|---|---|', ...rows, ''].join('\n')
}

function commandsTable(commands) {
  const rows = commands.map(({ name, words, summary, flags }) => {
    const own = flags.filter(({ variable }) => variable === undefined).map(({ flag }) => `\`--${flag}\``)
    return `| \`fauxgate ${cell(`${name} ${words}`.trim())}\` | ${cell(summary)} | ${own.join(', ')} |`
  })
  return ['| command | | flags |', '|---|---|---|', ...rows, ''].join('\n')
}
