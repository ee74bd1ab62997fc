import { watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { messageOf, UsageError } from '../errors.ts'
import { pathFromHere } from '../options/config-file.ts'
import type { ParsedServerOptions } from '../options/parsed-options.ts'
import { warn } from '../terminal.ts'
import { sleep } from '../waiting.ts'

/** Editors write a file in several steps. */
const DEBOUNCE_MS = 100

/**
 * Returns the files that `--watch` watches: the config file, the `initial` file, and the command's files.
 * @throws UsageError if there are none.
 */
export function watchedFiles(
  { config: { initial }, names, file }: ParsedServerOptions,
  ofCommand: readonly string[] = [],
): readonly string[] {
  const files = [file, initial, ...ofCommand].filter((each) => typeof each === 'string')
  if (files.length === 0)
    throw new UsageError(`${names.get('watch')} needs a file to watch: a config file, or --initial FILE.`)
  return files
}

/**
 * Resolves with the path of a file once the file has changed and `check` accepts all options. Prints a warning if `check` rejects. Does not
 * resolve after the signal has aborted.
 */
export async function waitForChange(
  files: readonly string[],
  check: () => Promise<void>,
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve) => {
    for (const file of files) {
      let isPending = false
      // Many editors replace the file, so its folder is watched.
      watch(dirname(file), { signal }, async (_event, name) => {
        if (name !== basename(file) || isPending) return
        isPending = true
        const isWatched = await sleep(DEBOUNCE_MS, signal)
        // The check may miss a change from now on.
        isPending = false
        if (!isWatched) return
        try {
          await check()
          resolve(file)
        } catch (error) {
          warn(`${pathFromHere(file)} has changed, but the server still uses the old version: ${messageOf(error)}`)
        }
      })
    }
  })
}
