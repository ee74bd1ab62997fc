// Writes docs/api/names.txt, the list of all public names.
import { join } from 'node:path'
import { entryPointsByImport } from '../entries.ts'
import { readExports } from '../exports.mjs'
import { listNames } from './names.ts'

export default function api(root) {
  const entries = Object.entries(entryPointsByImport).sort(([a], [b]) => (a < b ? -1 : 1))
  const paths = entries.map(([, path]) => join(root, path))
  const { exportsOf } = readExports(paths, join(root, 'src'), { packages: false, lib: ['lib.es2022.d.ts'], types: [] })
  const names = entries.flatMap(([entry], place) =>
    exportsOf(paths[place])
      .filter(({ symbol }) => isPublic(symbol))
      .map(({ name, isType, membersOf }) => [`${entry}:${name}`, isType ? listPublicNames(membersOf()) : []]),
  )
  return new Map([listNames(root, names)])
}

const listPublicNames = (symbols) => symbols.filter(isPublic).map(({ name }) => name)

const isPublic = (symbol) => !symbol.getJsDocTags().some((tag) => tag.name === 'internal')
