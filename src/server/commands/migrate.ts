import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import type { Families } from '../../core/operation/family.ts'
import { FRESH_KEYS } from '../../gateway/authority-keys.ts'
import { dialectFamilies } from '../../gateway/dialect-families.ts'
import { createGateway } from '../../gateway/gateway.ts'
import type { AnyOptions } from '../../gateway/options.ts'
import { CONFIG_FLAG } from '../options/flags.ts'
import { gatewayOptionsOf } from '../options/gateway-options.ts'
import { loadOptions } from '../options/parsed-options.ts'
import { openStore } from '../sqlite/sqlite-store.ts'
import { printLine } from '../terminal.ts'
import { type Arguments, type Command, requireOneWord } from './command.ts'
import { migrationText } from './migration-text.ts'

/** Returns the families of the dialect that wrote a file. The file lists its collections but not the dialect. */
function findFamilies(collections: readonly string[]): Families {
  const candidates: readonly Families[] = Object.values(dialectFamilies)
  const isOf = (families: Families) =>
    Object.values(families).some((family) => family.collections.some(({ name }) => collections.includes(name)))
  return candidates.find(isOf) ?? {}
}

export const migrateCommand: Command = {
  name: 'migrate',
  words: 'FILE',
  summary: 'Upgrade a --data file to the current version',
  flags: [CONFIG_FLAG],
  example: 'migrate gateway.db',
  notes: [
    '"serve --data" does the same at startup. Older versions of fauxgate cannot open the file afterward, so ' +
      'make a copy first.',
  ],
  async run(parsed: Arguments, environment): Promise<number> {
    const file = requireOneWord(migrateCommand, parsed)
    // Opening a store would create the file.
    if (!existsSync(file)) throw new Error(`${file} cannot be read: there is no such file.`)
    const options = await gatewayOptionsOf(await loadOptions(parsed, environment))
    const store = openStore(file)
    try {
      const before = store.versions()
      if (!before) throw new Error(`${file} contains no state. Allowed: a file written by "fauxgate serve --data".`)
      const families = { ...findFamilies(before.collections), ...options.families }
      // The command stores the authority's keys in its files. A program's file contains keys only if the program asked for fresh ones.
      const authorityKeys = before.collections.includes(FRESH_KEYS) ? 'fresh' : 'test'
      const all: AnyOptions = { ...options, authorityKeys, families, store }
      createGateway(all).dispose()
      await store.flushed()
      const migration = migrationText(before, store)
      printLine(migration ? `${basename(file)}: ${migration}` : `${basename(file)} is already up to date.`)
    } finally {
      store.close()
    }
    return 0
  },
}
