// Checks the text that editors show over the names of the built package: `node tools/checks/hover.mjs`. Fails if an
// export or a member has no sentence, a citation that leads nowhere, or a type that shows machinery.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readExports, textOf } from '../../scripts/exports.mjs'

const dist = fileURLToPath(new URL('../../dist/', import.meta.url))

/** Internal types that hovers must not show. The kit is an exception, because it makes types from types. */
const MACHINERY = /Frozen<|Infer(In|Out)put<|DirectCall<|NoInfer|Together<|MembersOf<|\.\.\.args\b(?!: never)|\bany\b/
const MACHINERY_OF_KIT = /Together<|MembersOf<|\.\.\.args\b(?!: never)|\bany\b/

const { exports } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
const NAMES = [...JSON.stringify(exports).matchAll(/"\.\/dist\/(\w+)\.d\.ts"/g)].map(([, name]) => name)
const paths = NAMES.map((name) => `${dist}${name}.d.ts`)
const lib = ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.esnext.disposable.d.ts']
const { checker, exportsOf } = readExports(paths, dist, { lib, types: [] })

/** Returns the name, the symbol and the shown type of each export of an entry point, and of their members. */
const listNames = (path) =>
  exportsOf(path).flatMap(({ name, symbol, isType, typeOf, membersOf }) => [
    [name, symbol, isType ? undefined : typeOf()],
    ...membersOf().map((each) => [`${name}.${each.name}`, each, checker.getTypeOfSymbol(each)]),
  ])

function findProblems([name, symbol, type], machinery) {
  const text = textOf(symbol, checker)
  // Neither the values of texts nor what a runner passes to a test are ours.
  const shownType = type ? checker.typeToString(type).replace(/"[^"]*"|\.\.\.(arguments|context): any\[\]/g, '') : ''
  return [
    ...(text === '' ? [`${name} has no sentence`] : []),
    ...(/\(rules?:/.test(text) ? [`${name} cites a rule, which leads nowhere in an editor`] : []),
    ...(machinery.test(shownType) ? [`${name} is shown as ${shownType.slice(0, 200)}`] : []),
  ]
}

for (const [place, entry] of NAMES.entries()) {
  const names = listNames(paths[place])
  const problems = names.flatMap((each) => findProblems(each, entry === 'kit' ? MACHINERY_OF_KIT : MACHINERY))
  console.log(`${problems.length === 0 ? 'ok ' : 'NOT'} ${entry}: ${names.length} names`)
  for (const each of problems) console.log(`    ${each}`)
  if (problems.length > 0) process.exitCode = 1
}
