// The sentences of the command's options, from the docstrings of their interfaces.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/** The later ones say it for the command, in the place of what earlier ones say. */
const FILES = ['src/gateway/gateway-options.ts', 'src/server/options/config.ts']

/** The sentence of each option, by its path. */
function sentencesOfDocstrings(root) {
  const interfaces = new Map(FILES.flatMap((file) => interfacesIn(join(root, file))))
  const found = new Map()
  const walk = (members, path) => {
    for (const member of members.filter(ts.isPropertySignature)) {
      const own = [...path, member.name.text]
      const text = sentenceOf(member)
      if (text) found.set(own.join('.'), text)
      for (const below of membersBelow(member.type, interfaces)) walk(below, own)
    }
  }
  for (const name of ['GatewayOptions', 'Config']) walk(interfaces.get(name).members, [])
  return Object.fromEntries([...found].sort(([one], [other]) => (one < other ? -1 : 1)))
}

function interfacesIn(file) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  return source.statements.filter(ts.isInterfaceDeclaration).map((each) => [each.name.text, each])
}

/** The members of the objects that a type can be, as far as these interfaces say. */
function membersBelow(type, interfaces) {
  if (ts.isUnionTypeNode(type)) return type.types.flatMap((each) => membersBelow(each, interfaces))
  if (ts.isTypeLiteralNode(type)) return [type.members]
  const named = ts.isTypeReferenceNode(type) && interfaces.get(type.typeName.getText())
  return named ? [named.members] : []
}

function sentenceOf(member) {
  const [comment] = ts.getJSDocCommentsAndTags(member)
  const text = ts.getTextOfJSDocComment(comment?.comment) ?? ''
  return text
    .replace(/\{@link (\w+)\}/g, '`$1`')
    .replace(/\s+/g, ' ')
    .trim()
}

/** The file that they stand in. */
export function sentencesFile(root) {
  const rows = Object.entries(sentencesOfDocstrings(root)).map(([path, text]) => {
    const [name, value] = [`  ${quoted(path, /\W/.test(path))}:`, `${quoted(text)},`]
    // As the formatter has it.
    return name.length + 1 + value.length <= 120 ? `${name} ${value}\n` : `${name}\n    ${value}\n`
  })
  return [
    '// Generated from the docstrings of Config and GatewayOptions: `npm run generate`.\n',
    '/** What each option of the command is, in one sentence, by its path in a config file. */',
    'export const sentences: Readonly<Record<string, string>> = {',
    `${rows.join('')}}\n`,
  ].join('\n')
}

function quoted(text, isNeeded = true) {
  if (!isNeeded) return text
  return text.includes("'") ? JSON.stringify(text) : `'${text}'`
}
