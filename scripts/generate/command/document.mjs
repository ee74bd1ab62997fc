// The parts of docs/command.md and docs/options.md that follow from the tables of options and commands.

/** Returns docs/command.md with its tables brought up to date. */
export function commandDocument(text, { options, commands }) {
  return withPart(withPart(text, 'options', optionsTable(options)), 'commands', commandsTable(commands))
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

function optionsTable(options) {
  const rows = options.map(({ flag, value, kind, path, sentence }) => {
    const shown = `--${flag}${value && ` ${value}`}${kind === 'texts' ? ' …' : ''}`
    return `| \`${cell(shown)}\` | \`${path}\` | ${cell(sentence)} |`
  })
  return ['| flag | in a config file | |', '|---|---|---|', ...rows, ''].join('\n')
}

function commandsTable(commands) {
  const rows = commands.map(({ name, words, summary, flags }) => {
    const own = flags.filter(({ variable }) => variable === undefined).map(({ flag }) => `\`--${flag}\``)
    return `| \`fauxgate ${cell(`${name} ${words}`.trim())}\` | ${cell(summary)} | ${own.join(', ')} |`
  })
  return ['| command | | flags |', '|---|---|---|', ...rows, ''].join('\n')
}
