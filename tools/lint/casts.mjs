// `node tools/lint/casts.mjs [folder]`, a part of `npm run lint`: every cast in src/ says why, in a comment on its line,
// or on a line of its own right above it or its statement.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from '../../scripts/typescript.mjs'

const [folder = fileURLToPath(new URL('../../src/', import.meta.url))] = process.argv.slice(2)
const isCast = (node) => ts.isAsExpression(node) && node.type.getText() !== 'const'

/** Returns the lines of a file, from 0, with a cast that gives no reason. Its name tells a type parameter from an element of JSX. */
function findSilentCasts(name, text) {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, /* setParentNodes */ true)
  const lines = text.split('\n')
  const lineOf = (node) => file.getLineAndCharacterOfPosition(node.getStart()).line
  const hasReason = (cast) =>
    / \/\/ /.test(lines[lineOf(cast.type)]) ||
    [cast.type, cast, ts.findAncestor(cast, ts.isStatement)].some((node) => /^ *\/\/ /.test(lines[lineOf(node) - 1]))
  const found = []
  const visit = (node) => {
    if (isCast(node) && !hasReason(node)) found.push(lineOf(node.type))
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

const files = readdirSync(folder, { recursive: true }).filter((name) => /(?<!\.d)\.tsx?$/.test(name))
for (const name of files) {
  for (const line of findSilentCasts(name, readFileSync(join(folder, name), 'utf8'))) {
    console.error(`${name}:${line + 1} casts and does not say why.`)
    process.exitCode = 1
  }
}
