// The parts of docs/command.md that follow from the tables of options and commands.

/** The document with these parts brought up to date. */
export function withTables(text, { options, commands }) {
  return withPart(withPart(text, 'options', optionsTable(options)), 'commands', commandsTable(commands))
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
